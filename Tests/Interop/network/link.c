// A link between two network namespaces, in user space: a rate with a queue in front of it, a delay, losses, stalls, reordering, a
// policer, each way, changing as a schedule says. It counts what it does.
//
//     link LEFT RIGHT SCHEDULE COUNTS [--trace FILE] [--interval MILLISECONDS] [--seed NUMBER]
//     link --check SCHEDULE
//
// LEFT and RIGHT are files of namespaces, such as /run/netns/one. In each it makes a device "narrow" without an address, says "ready",
// and carries packets under the schedule's first conditions. The line "go" on its standard input starts the schedule's clock and the
// counting; it says "started" and the time (CLOCK_MONOTONIC, nanoseconds). At the end of its input it says in one line of JSON how
// late it was, and ends. docs/network-tests.md has the schedules, and the columns of both files.
//
// Times are computed, not waited for: a packet's transmission begins when the one before it ended, however late this program gets to
// know. So a busy machine makes packets late, by what is said at the end, and never changes the rate.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define LARGEST_PACKET 2048
#define NEVER INT64_MAX
#define STEPS 4096
#define WAITS 65536
static const int64_t second = 1000000000, millisecond = 1000000;

typedef struct packet {
    int64_t entered, due;  // due: when it arrives at the other end
    uint64_t order;
    struct packet *next;
    uint32_t size, wait;  // wait: from its entry until the bottleneck has sent it, in microseconds
    uint8_t marked;
    uint8_t bytes[LARGEST_PACKET];
} packet;

// What a direction does. Rates are in bits a second, times in nanoseconds.
typedef struct {
    double rate;                      // 0: no limit
    int64_t delay, jitter;            // jitter: even between 0 and this, in order
    int64_t queue_time, queue_bytes;  // one of them, the other is -1
    double loss, burst;               // burst: the mean number of packets that are lost in a row
    bool stalled;
    double reordered;                 // the share of packets that are held back for
    int64_t held_back;
    double policed_rate;              // 0: no policer
    int64_t policed_burst;            // bytes
    int64_t mark_above;               // the wait from which on packets are marked with ECN; -1: never
} conditions;

// A line of the schedule: what it changes.
typedef struct {
    int64_t at;
    bool applies[2];
    char words[240];
} step;

enum fate { DELIVERED, QUEUE_FULL, LOST, POLICED };

typedef struct {
    int64_t entered, entered_bytes, sent, sent_bytes, delivered, queue_full, lost, policed, marked;
    int waits;
    uint32_t wait[WAITS];
} counts;

typedef struct {
    int number, in, out;
    conditions now;
    int next_step;
    // The queue, without the packet that is being sent.
    packet *first, *last;
    int64_t queued_bytes;
    // The packet that is being sent; `left` are its bits that were left to be sent at the time `since`.
    packet *sending;
    double left;
    int64_t since, finish;
    // What is under way, a heap by `due`.
    packet **flight;
    int flying, room;
    int64_t latest;
    uint64_t order;
    double tokens;
    int64_t refilled;
    bool is_bad;
    uint64_t random;
    counts counted;
} direction;

static direction directions[2];
static step steps[STEPS];
static int step_count;
// What the packets of a flow take longer than others; call 0 has the hosts 11 and 111, call 1 12 and 112, and so on.
static int64_t flow_delay[256];
static packet *spare;
static int64_t began = NEVER;  // when "go" came
static FILE *counts_file, *trace_file;
// How late packets were given out: the longest, the sum, and a histogram in steps of 20 microseconds.
static int64_t latest_delivery, lateness, deliveries, failures;
static int64_t late_histogram[5000];

static void fail(const char *what) {
    fprintf(stderr, "link: %s: %s\n", what, errno ? strerror(errno) : "is wrong");
    exit(2);
}

static int64_t clock_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * second + time.tv_nsec;
}

static int64_t least(int64_t one, int64_t other) { return one < other ? one : other; }
static int64_t most(int64_t one, int64_t other) { return one > other ? one : other; }

// Even in 0 to 1 (xorshift).
static double draw(direction *d) {
    d->random ^= d->random << 13;
    d->random ^= d->random >> 7;
    d->random ^= d->random << 17;
    return (double)(d->random >> 11) / 9007199254740992.0;
}

// MARK: The schedule

static void read_flow(const char *line) {
    static int number;
    const char *delay = strstr(line, " delay ");
    if (delay && number < 100) flow_delay[11 + number] = flow_delay[111 + number] = (int64_t)(atof(delay + 7) * 1e6);
    number++;
}

static void read_schedule(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail(path);
    char line[300], way[16];
    while (fgets(line, sizeof line, file)) {
        double at;
        int words = 0;
        if (sscanf(line, " flow %15s", way) == 1 && !strcmp(way, "media")) read_flow(line);
        if (sscanf(line, " at %lf %15s %n", &at, way, &words) < 2) continue;  // titles, comments, flows
        step *new = &steps[step_count++];
        if (step_count == STEPS || strlen(line + words) >= sizeof new->words) errno = 0, fail(line);
        new->at = (int64_t)(at * 1e9);
        bool both = !strcmp(way, "both");
        new->applies[0] = both || !strcmp(way, "forward");
        new->applies[1] = both || !strcmp(way, "backward");
        if (!new->applies[0] && !new->applies[1]) errno = 0, fail(line);
        strcpy(new->words, line + words);
        if (step_count > 1 && new->at < new[-1].at) errno = 0, fail("the schedule's order");
    }
    fclose(file);
    if (!step_count || steps[0].at) errno = 0, fail("a schedule that says nothing about its beginning");
}

static double number(const char *word) {
    char *end;
    double value = word ? strtod(word, &end) : (end = NULL, 0);
    if (!end || end == word || *end) errno = 0, fail(word ? word : "a schedule's line, which ends too early:");
    return value;
}

static bool is_none(const char *word) { return word && !strcmp(word, "none"); }

// Changes what the words of a line name, and nothing else.
static void change(conditions *c, const char *line) {
    char words[240], *rest = NULL;
    strcpy(words, line);
    const char *separators = " \t\r\n";
    for (char *key = strtok_r(words, separators, &rest); key; key = strtok_r(NULL, separators, &rest)) {
        if (*key == '#') return;
        char *value = strtok_r(NULL, separators, &rest);
        if (!strcmp(key, "rate")) c->rate = is_none(value) ? 0 : number(value) * 1000;
        else if (!strcmp(key, "delay")) c->delay = (int64_t)(number(value) * 1e6);
        else if (!strcmp(key, "jitter")) c->jitter = (int64_t)(number(value) * 1e6);
        else if (!strcmp(key, "queue")) c->queue_time = (int64_t)(number(value) * 1e6), c->queue_bytes = -1;
        else if (!strcmp(key, "queuebytes")) c->queue_bytes = (int64_t)number(value), c->queue_time = -1;
        else if (!strcmp(key, "loss")) c->loss = number(value);
        else if (!strcmp(key, "burst")) c->burst = number(value);
        else if (!strcmp(key, "stall") && value && (!strcmp(value, "on") || !strcmp(value, "off"))) c->stalled = !strcmp(value, "on");
        else if (!strcmp(key, "mark")) c->mark_above = is_none(value) ? -1 : (int64_t)(number(value) * 1e6);
        else if (!strcmp(key, "reorder")) {
            c->reordered = is_none(value) ? 0 : number(value);
            if (c->reordered > 0) c->held_back = (int64_t)(number(strtok_r(NULL, separators, &rest)) * 1e6);
        } else if (!strcmp(key, "policer")) {
            c->policed_rate = is_none(value) ? 0 : number(value) * 1000;
            if (c->policed_rate > 0) c->policed_burst = (int64_t)number(strtok_r(NULL, separators, &rest));
        } else errno = 0, fail(key);
    }
}

// What is wrong with a line is said at the beginning, and not when its time comes.
static void check_schedule(void) {
    for (int i = 0; i < step_count; i++) {
        conditions tried = {0};
        change(&tried, steps[i].words);
    }
}

// MARK: Counting

#pragma pack(push, 1)
typedef struct {
    uint64_t entered;  // nanoseconds since the start
    uint32_t wait, way;  // microseconds: until the bottleneck had sent it, until it arrived
    uint16_t size;
    uint8_t direction, fate, protocol, marked;
    uint16_t source_port, destination_port;
    uint8_t source_host, destination_host;  // the last bytes of the addresses
    uint8_t is_rtp, payload_type;
    uint16_t sequence_number, payload_size;  // of RTP, whose header is in the clear; the size with SRTP's tag
    uint32_t timestamp, ssrc;
} record;
#pragma pack(pop)

static uint32_t word(const uint8_t *bytes, int count) {
    uint32_t value = 0;
    while (count--) value = value << 8 | *bytes++;
    return value;
}

// Looks into an IPv4 packet as anybody on the way could.
static void look_into(const packet *p, record *r) {
    const uint8_t *ip = p->bytes;
    if (p->size < 20 || ip[0] >> 4 != 4) return;
    uint32_t header = (ip[0] & 15) * 4;
    r->protocol = ip[9], r->source_host = ip[15], r->destination_host = ip[19];
    if ((r->protocol != 17 && r->protocol != 6) || p->size < header + 8) return;
    r->source_port = (uint16_t)word(ip + header, 2), r->destination_port = (uint16_t)word(ip + header + 2, 2);
    const uint8_t *rtp = ip + header + 8, *end = ip + p->size;
    // RTP and not RTCP (RFC 5761), STUN, DTLS (RFC 7983)
    if (r->protocol != 17 || end - rtp < 12 || rtp[0] >> 6 != 2 || (rtp[1] >= 192 && rtp[1] < 224)) return;
    long head = 12 + 4 * (rtp[0] & 15);
    if (rtp[0] & 0x10 && end - rtp >= head + 4) head += 4 + 4 * (long)word(rtp + head + 2, 2);
    r->is_rtp = 1, r->payload_type = rtp[1] & 127, r->sequence_number = (uint16_t)word(rtp + 2, 2);
    r->timestamp = word(rtp + 4, 4), r->ssrc = word(rtp + 8, 4);
    r->payload_size = (uint16_t)(end - rtp > head ? end - rtp - head : 0);
}

static void trace(const direction *d, const packet *p, enum fate fate) {
    if (!trace_file || p->entered < began) return;
    record r = {.entered = (uint64_t)(p->entered - began), .size = (uint16_t)p->size, .direction = (uint8_t)d->number,
                .fate = (uint8_t)fate, .marked = p->marked, .wait = p->wait,
                .way = fate == DELIVERED ? (uint32_t)((p->due - p->entered) / 1000) : 0};
    look_into(p, &r);
    fwrite(&r, sizeof r, 1, trace_file);
}

static int by_size(const void *one, const void *other) {
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return a < b ? -1 : a > b;
}

// Writes one line for a direction, and begins to count anew.
static void write_counts(direction *d, int64_t until) {
    counts *c = &d->counted;
    qsort(c->wait, (size_t)c->waits, sizeof *c->wait, by_size);
    uint32_t p95 = c->waits ? c->wait[(c->waits * 95 - 1) / 100] : 0, longest = c->waits ? c->wait[c->waits - 1] : 0;
    fprintf(counts_file, "%.3f,%s,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%.3f,%.3f\n", (double)(until - began) / 1e9,
            d->number ? "backward" : "forward", c->entered, c->entered_bytes, c->sent, c->sent_bytes, c->delivered, c->queue_full,
            c->lost, c->policed, c->marked, d->queued_bytes, p95 / 1e3, longest / 1e3);
    memset(c, 0, offsetof(counts, wait));
}

// MARK: Packets on their way

static packet *take_packet(void) {
    packet *p = spare ? spare : malloc(sizeof *p);
    if (!p) fail("memory");
    if (spare) spare = spare->next;
    return p;
}

static void drop(direction *d, packet *p, enum fate fate) {
    if (fate != DELIVERED) trace(d, p, fate);
    p->next = spare;
    spare = p;
}

static bool is_before(const packet *one, const packet *other) {
    return one->due != other->due ? one->due < other->due : one->order < other->order;
}

static void fly(direction *d, packet *p) {
    if (d->flying == d->room) {
        d->room = d->room ? 2 * d->room : 1024;
        if (!(d->flight = realloc(d->flight, (size_t)d->room * sizeof *d->flight))) fail("memory");
    }
    int place = d->flying++;
    for (; place && is_before(p, d->flight[(place - 1) / 2]); place = (place - 1) / 2) d->flight[place] = d->flight[(place - 1) / 2];
    d->flight[place] = p;
}

static packet *land(direction *d) {
    packet *top = d->flight[0], *moved = d->flight[--d->flying];
    int place = 0;
    for (int child; (child = 2 * place + 1) < d->flying; place = child) {
        if (child + 1 < d->flying && is_before(d->flight[child + 1], d->flight[child])) child++;
        if (!is_before(d->flight[child], moved)) break;
        d->flight[place] = d->flight[child];
    }
    d->flight[place] = moved;
    return top;
}

// Whether the next packet is lost: by chance, or in bursts (Gilbert's model: while the link is bad it loses everything).
static bool loses(direction *d) {
    if (d->now.loss <= 0) return false;
    if (d->now.burst <= 1) return draw(d) < d->now.loss;
    double to_good = 1 / d->now.burst, to_bad = to_good * d->now.loss / (1 - d->now.loss);
    if (draw(d) < (d->is_bad ? to_good : to_bad)) d->is_bad = !d->is_bad;
    return d->is_bad;
}

// Sets "congestion experienced" in a packet that says it can be told (RFC 3168), and mends the header's checksum (RFC 1624).
static void mark(direction *d, packet *p) {
    uint8_t *ip = p->bytes, ecn = ip[1] & 3;
    if (p->size < 20 || ip[0] >> 4 != 4 || ecn == 0 || ecn == 3) return;
    uint32_t before = word(ip, 2), sum;
    ip[1] |= 3;
    sum = (~word(ip + 10, 2) & 0xFFFF) + (~before & 0xFFFF) + word(ip, 2);
    sum = (sum & 0xFFFF) + (sum >> 16);
    sum = ~((sum & 0xFFFF) + (sum >> 16)) & 0xFFFF;
    ip[10] = (uint8_t)(sum >> 8), ip[11] = (uint8_t)sum;
    p->marked = 1;
    d->counted.marked++;
}

// The bottleneck has sent a packet at the time `t`.
static void leave(direction *d, packet *p, int64_t t) {
    p->wait = (uint32_t)((t - p->entered) / 1000);
    d->counted.sent++;
    d->counted.sent_bytes += p->size;
    if (d->counted.waits < WAITS) d->counted.wait[d->counted.waits++] = p->wait;
    if (d->now.mark_above >= 0 && t - p->entered > d->now.mark_above) mark(d, p);
    if (loses(d)) {
        d->counted.lost++;
        return drop(d, p, LOST);
    }
    p->due = t + d->now.delay + (d->now.jitter ? (int64_t)(draw(d) * (double)d->now.jitter) : 0);
    if (d->now.reordered > 0 && draw(d) < d->now.reordered) {
        p->due += d->now.held_back;
    } else {
        p->due = d->latest = most(p->due, d->latest);
    }
    if (p->size >= 20) p->due += flow_delay[p->bytes[15]];
    p->order = d->order++;
    trace(d, p, DELIVERED);
    fly(d, p);
}

// MARK: The bottleneck

// When the packet that is being sent will have been.
static void set_finish(direction *d) {
    if (!d->sending || d->now.stalled) d->finish = NEVER;
    else d->finish = d->since + (d->now.rate > 0 ? (int64_t)(d->left * 1e9 / d->now.rate) : 0);
}

static void begin_sending(direction *d, packet *p, int64_t t) {
    d->sending = p;
    d->left = p->size * 8.0;
    d->since = t;
    set_finish(d);
}

static void finish_sending(direction *d) {
    int64_t t = d->finish;
    packet *sent = d->sending, *next = d->first;
    d->sending = NULL;
    d->finish = NEVER;
    if (next) {
        d->first = next->next;
        d->queued_bytes -= next->size;
        begin_sending(d, next, t);
    }
    leave(d, sent, t);
}

static void apply_step(direction *d, const step *s, int64_t t) {
    if (d->sending && !d->now.stalled) d->left -= (double)(t - d->since) / 1e9 * d->now.rate;
    if (d->left < 0 || d->now.rate == 0) d->left = 0;
    d->since = t;
    change(&d->now, s->words);
    set_finish(d);
}

static int64_t next_step_time(direction *d) {
    while (d->next_step < step_count && !steps[d->next_step].applies[d->number]) d->next_step++;
    return d->next_step < step_count && began != NEVER ? began + steps[d->next_step].at : NEVER;
}

// Lets everything happen that is due by `t`, in its order.
static void advance(direction *d, int64_t t) {
    for (;;) {
        int64_t at = next_step_time(d);
        if (at <= t && at <= d->finish) apply_step(d, &steps[d->next_step++], at);
        else if (d->finish <= t) finish_sending(d);
        else return;
    }
}

// As time at the rate; a stall and the absence of a rate do not change what a queue holds.
static int64_t queue_limit(const direction *d) {
    if (d->now.queue_bytes >= 0) return d->now.queue_bytes;
    return (int64_t)((d->now.rate > 0 ? d->now.rate : 1e9) * (double)d->now.queue_time / 8e9);
}

static bool admits(direction *d, const packet *p, int64_t t) {
    if (d->now.policed_rate <= 0) return true;
    d->tokens += (double)(t - d->refilled) / 8e9 * d->now.policed_rate;
    if (d->tokens > (double)d->now.policed_burst) d->tokens = (double)d->now.policed_burst;
    d->refilled = t;
    if (d->tokens < p->size) return false;
    d->tokens -= p->size;
    return true;
}

static void enter(direction *d, packet *p, int64_t t) {
    advance(d, t);
    p->entered = t;
    p->next = NULL;
    p->wait = p->marked = 0;
    d->counted.entered++;
    d->counted.entered_bytes += p->size;
    if (!admits(d, p, t)) {
        d->counted.policed++;
        return drop(d, p, POLICED);
    }
    if (!d->sending) {
        begin_sending(d, p, t);
        return advance(d, t);
    }
    if (d->queued_bytes + p->size > queue_limit(d)) {
        d->counted.queue_full++;
        return drop(d, p, QUEUE_FULL);
    }
    if (d->first) d->last->next = p; else d->first = p;
    d->last = p;
    d->queued_bytes += p->size;
}

// MARK: Devices

static void take_in(direction *d) {
    for (int i = 0; i < 64; i++) {
        packet *p = take_packet();
        ssize_t size = read(d->in, p->bytes, sizeof p->bytes);
        if (size <= 0) {
            p->next = spare, spare = p;
            return;
        }
        p->size = (uint32_t)size;
        enter(d, p, clock_now());
    }
}

static void give_out(direction *d) {
    for (int64_t t = clock_now(); d->flying && d->flight[0]->due <= t;) {
        packet *p = land(d);
        int64_t late = t - p->due;
        if (write(d->out, p->bytes, p->size) != (ssize_t)p->size) failures++;
        d->counted.delivered++;
        if (began != NEVER && p->entered >= began) {
            deliveries++, lateness += late, latest_delivery = most(latest_delivery, late);
            late_histogram[least(late / 20000, 4999)]++;
        }
        drop(d, p, DELIVERED);
    }
}

// When this direction has something to do at the latest. What is being sent is not looked at before it can arrive.
static int64_t wake(direction *d) {
    int64_t time = d->flying ? d->flight[0]->due : NEVER;
    if (d->finish != NEVER) time = least(time, d->finish + d->now.delay);
    return least(time, next_step_time(d));
}

static int make_device(const char *namespace) {
    int place = open(namespace, O_RDONLY | O_CLOEXEC);
    if (place < 0 || setns(place, CLONE_NEWNET)) fail(namespace);
    close(place);
    int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI, .ifr_name = "narrow"};
    if (device < 0 || ioctl(device, TUNSETIFF, &request)) fail("/dev/net/tun");
    return device;
}

static void start(void) {
    int64_t t = clock_now();
    for (int k = 0; k < 2; k++) {
        advance(&directions[k], t);
        memset(&directions[k].counted, 0, offsetof(counts, wait));
        directions[k].next_step = 0;
    }
    began = t;
    for (int k = 0; k < 2; k++) advance(&directions[k], t);
    printf("started %ld\n", began);
    fflush(stdout);
}

// Reads what it is told; false at the end.
static bool listen_to_input(void) {
    char words[64];
    ssize_t count = read(0, words, sizeof words);
    if (count > 0 && memchr(words, 'g', (size_t)count) && began == NEVER) start();
    return count > 0 || (count < 0 && errno == EINTR);
}

static void report(bool is_realtime) {
    int64_t sum = 0, p99 = 0;
    while (p99 < 4999 && (sum += late_histogram[p99]) * 100 < deliveries * 99) p99++;
    printf("{\"packets\":%ld,\"lateMeanMs\":%.3f,\"lateP99Ms\":%.3f,\"lateMaxMs\":%.3f,\"unwritten\":%ld,\"realtime\":%s}\n", deliveries,
           deliveries ? (double)lateness / (double)deliveries / 1e6 : 0, (double)(p99 + 1) * 0.02, (double)latest_delivery / 1e6, failures,
           is_realtime ? "true" : "false");
}

int main(int count, char **arguments) {
    int64_t interval = 100 * millisecond;
    uint64_t seed = 1;
    if (count == 3 && !strcmp(arguments[1], "--check")) return read_schedule(arguments[2]), check_schedule(), 0;
    if (count < 5) errno = 0, fail("the command line: LEFT RIGHT SCHEDULE COUNTS");
    for (int i = 5; i + 1 < count; i += 2) {
        if (!strcmp(arguments[i], "--trace")) trace_file = fopen(arguments[i + 1], "w");
        else if (!strcmp(arguments[i], "--interval")) interval = atol(arguments[i + 1]) * millisecond;
        else if (!strcmp(arguments[i], "--seed")) seed = strtoull(arguments[i + 1], NULL, 10);
        else errno = 0, fail(arguments[i]);
    }
    read_schedule(arguments[3]);
    check_schedule();
    if (!(counts_file = fopen(arguments[4], "w"))) fail(arguments[4]);
    if (trace_file) setvbuf(trace_file, NULL, _IOFBF, 1 << 20);
    fprintf(counts_file, "seconds,direction,entered,enteredBytes,sent,sentBytes,delivered,queueFull,lost,policed,marked,"
                         "queuedBytes,waitP95Ms,waitMaxMs\n");
    int left = make_device(arguments[1]), right = make_device(arguments[2]);
    for (int k = 0; k < 2; k++) {
        direction *d = &directions[k];
        d->number = k, d->in = k ? right : left, d->out = k ? left : right;
        d->finish = NEVER;
        d->random = (seed * 2 + (uint64_t)k + 1) * 0x9E3779B97F4A7C15u;
        d->now = (conditions){.queue_time = 250 * millisecond, .queue_bytes = -1, .burst = 1, .mark_above = -1};
        for (int i = 0; i < step_count && steps[i].at == 0; i++)
            if (steps[i].applies[k]) change(&d->now, steps[i].words);
    }
    // Sleep ends when it should, and before others that want the processor; not everybody may have that.
    prctl(PR_SET_TIMERSLACK, 1);
    struct sched_param priority = {.sched_priority = 10};
    bool is_realtime = !sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority);
    puts("ready");
    fflush(stdout);
    struct pollfd inputs[3] = {{left, POLLIN, 0}, {right, POLLIN, 0}, {0, POLLIN, 0}};
    int64_t next_line = NEVER;
    for (;;) {
        int64_t t = clock_now(), deadline = least(least(wake(&directions[0]), wake(&directions[1])), next_line);
        int64_t wait = most(0, least(deadline, t + second) - t);
        struct timespec time = {wait / second, wait % second};
        ppoll(inputs, 3, &time, NULL);
        if (inputs[2].revents && !listen_to_input()) break;
        if (began != NEVER && next_line == NEVER) next_line = began + interval;
        for (int k = 0; k < 2; k++) {
            if (inputs[k].revents) take_in(&directions[k]);
            t = clock_now();
            for (; next_line <= t && k == 0; next_line += interval)
                for (int each = 0; each < 2; each++) advance(&directions[each], next_line), write_counts(&directions[each], next_line);
            advance(&directions[k], t);
            give_out(&directions[k]);
        }
    }
    report(is_realtime);
    fclose(counts_file);
    if (trace_file) fclose(trace_file);
    return 0;
}
