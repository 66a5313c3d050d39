// Measures libdatachannel through its C API, the way duet is measured: throughput between two processes, set-up and
// memory in one.
//
//   bench LIBRARY throughput SIZE SECONDS
//   bench LIBRARY setup RUNS
//   bench LIBRARY memory PAIRS
//
// LIBRARY is a libdatachannel.so. Each prints one JSON object.
//
// The library is loaded at run time and its few functions are declared here, so that nothing of it has to be installed.
// It makes its offer by itself as soon as there is a channel, and its answer as soon as there is an offer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// What is used of the C API of libdatachannel. Connections and channels are numbers; a function returns less than zero
// where it fails. All settings stay at zero, which means the library's own: their order differs between versions.

typedef struct {
    void *settings[32];
} Configuration;

enum { GATHERING_COMPLETE = 2, LOG_NONE = 0 };

static void (*init_logger)(int level, void *callback);
static int (*create_connection)(const Configuration *);
static int (*close_connection)(int), (*delete_connection)(int);
static void (*set_user_pointer)(int id, void *);
static int (*on_description)(int, void (*)(int, const char *sdp, const char *type, void *));
static int (*on_candidate)(int, void (*)(int, const char *candidate, const char *mid, void *));
static int (*on_gathering)(int, void (*)(int, int state, void *));
static int (*on_channel)(int, void (*)(int, int channel, void *));
static int (*set_remote)(int, const char *sdp, const char *type);
static int (*add_candidate)(int, const char *candidate, const char *mid);
static int (*get_local)(int, char *buffer, int size);
static int (*create_channel)(int, const char *label);
static int (*on_open)(int, void (*)(int, void *));
static int (*on_message)(int, void (*)(int, const char *, int size, void *));
static int (*send_message)(int, const char *, int size);
static int (*buffered_amount)(int);
static int (*set_low_threshold)(int, int);
static int (*on_low)(int, void (*)(int, void *));

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("libdatachannel-bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(1);
}

static int check(int status, const char *what) {
    if (status < 0) fail("%s failed with %d", what, status);
    return status;
}
#define CHECK(call) check(call, #call)

static void load(const char *path) {
    void *library = dlopen(path, RTLD_NOW);
    if (!library) fail("%s", dlerror());
    struct { const char *name; void *place; } functions[] = {
        {"rtcInitLogger", &init_logger}, {"rtcCreatePeerConnection", &create_connection},
        {"rtcClosePeerConnection", &close_connection}, {"rtcDeletePeerConnection", &delete_connection},
        {"rtcSetUserPointer", &set_user_pointer}, {"rtcSetLocalDescriptionCallback", &on_description},
        {"rtcSetLocalCandidateCallback", &on_candidate}, {"rtcSetGatheringStateChangeCallback", &on_gathering},
        {"rtcSetDataChannelCallback", &on_channel},
        {"rtcSetRemoteDescription", &set_remote}, {"rtcAddRemoteCandidate", &add_candidate},
        {"rtcGetLocalDescription", &get_local}, {"rtcCreateDataChannel", &create_channel},
        {"rtcSetOpenCallback", &on_open}, {"rtcSetMessageCallback", &on_message}, {"rtcSendMessage", &send_message},
        {"rtcGetBufferedAmount", &buffered_amount}, {"rtcSetBufferedAmountLowThreshold", &set_low_threshold},
        {"rtcSetBufferedAmountLowCallback", &on_low},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function) fail("%s has no %s", path, functions[i].name);
        memcpy(functions[i].place, &function, sizeof function);
    }
    init_logger(LOG_NONE, NULL);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

// What this process and its ended children have used of the processor, in seconds.
static double processor_time(void) {
    double total = 0;
    int whom[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        getrusage(whom[i], &usage);
        total += usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6;
        total += usage.ru_stime.tv_sec + usage.ru_stime.tv_usec / 1e6;
    }
    return total;
}

static void post(sem_t *event) { sem_post(event); }

static void await(sem_t *event, const char *what) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 30;
    if (sem_timedwait(event, &limit) != 0) fail("%s did not come within 30 s", what);
}

static int connection(void *user) {
    Configuration configuration = {0};
    int id = CHECK(create_connection(&configuration));
    set_user_pointer(id, user);
    return id;
}

// Throughput

static sem_t opened, gathered, low, ended;

static void did_open(int id, void *user) { (void)id, (void)user; post(&opened); }
static void is_low(int id, void *user) { (void)id, (void)user; post(&low); }
static void did_gather(int id, int state, void *user) {
    (void)id, (void)user;
    if (state == GATHERING_COMPLETE) post(&gathered);
}

// Writes the local description with its candidates inside, after its length.
static void describe(int id, FILE *output) {
    await(&gathered, "the end of gathering");
    char sdp[16384];
    CHECK(get_local(id, sdp, sizeof sdp));
    fprintf(output, "%zu\n%s", strlen(sdp), sdp);
    fflush(output);
}

static void accept_description(int id, const char *type, FILE *input) {
    char sdp[16384];
    size_t length;
    if (fscanf(input, "%zu", &length) != 1 || length >= sizeof sdp || fgetc(input) != '\n'
        || fread(sdp, 1, length, input) != length)
        fail("the other process said no description");
    sdp[length] = 0;
    CHECK(set_remote(id, sdp, type));
}

static struct {
    long bytes;
    double first, last, used;
} counted;

static void count(int id, const char *message, int size, void *user) {
    (void)id, (void)user, (void)message;
    if (size < 0) {  // a text: the end
        counted.used = processor_time() - counted.used;
        post(&ended);
        return;
    }
    counted.last = now();
    if (counted.bytes == 0) {
        counted.first = counted.last;
        counted.used = processor_time();
    }
    counted.bytes += size;
}

static void adopt(int id, int channel, void *user) {
    (void)id, (void)user;
    CHECK(on_message(channel, count));
}

static void receive(FILE *input, FILE *output) {
    int id = connection(NULL);
    CHECK(on_gathering(id, did_gather));
    CHECK(on_channel(id, adopt));
    accept_description(id, "offer", input);
    describe(id, output);
    sem_wait(&ended);
    fprintf(output, "%ld %.9f %.9f\n", counted.bytes, counted.last - counted.first, counted.used);
    fflush(output);
    fgetc(input);  // until the sender is done
    _exit(0);
}

static void throughput(int size, double seconds) {
    int there[2], back[2];
    if (pipe(there) || pipe(back)) fail("no pipe");
    pid_t receiver = fork();  // before the library has threads
    if (receiver < 0) fail("no second process");
    if (receiver == 0) {
        close(there[1]);
        close(back[0]);
        receive(fdopen(there[0], "r"), fdopen(back[1], "w"));
    }
    close(there[0]);
    close(back[1]);
    FILE *output = fdopen(there[1], "w"), *input = fdopen(back[0], "r");

    int id = connection(NULL);
    CHECK(on_gathering(id, did_gather));
    int channel = CHECK(create_channel(id, "bench"));
    CHECK(on_open(channel, did_open));
    CHECK(set_low_threshold(channel, 1 << 20));
    CHECK(on_low(channel, is_low));
    describe(id, output);
    accept_description(id, "answer", input);
    await(&opened, "the open channel");

    double before = processor_time(), end = now() + seconds;
    char *message = calloc(1, size);
    while (now() < end) {
        CHECK(send_message(channel, message, size));
        // What was posted earlier is taken first, so that the loop looks again.
        while (buffered_amount(channel) > 4 << 20) await(&low, "room to send");
    }
    CHECK(send_message(channel, "end", -1));
    long bytes;
    double passed, used;
    if (fscanf(input, "%ld %lf %lf", &bytes, &passed, &used) != 3) fail("the receiver counted nothing");
    used += processor_time() - before;
    printf("{\"peer\":\"libdatachannel\",\"benchmark\":\"throughput\",\"size\":%d,\"megabytesPerSecond\":%.4f,"
           "\"cpuSecondsPerGB\":%.4f}\n", size, bytes / 1e6 / passed, used / (bytes / 1e9));
    fflush(stdout);
    fclose(output);
    waitpid(receiver, NULL, 0);
    _exit(0);
}

// Set-up and memory

typedef struct {
    int offerer, answerer, channel;
    sem_t opened;
} Pair;

// The callbacks of one connection come one after another: the description first, then its candidates.
static void offered(int id, const char *sdp, const char *type, void *user) {
    (void)id;
    CHECK(set_remote(((Pair *)user)->answerer, sdp, type));
}

static void answered(int id, const char *sdp, const char *type, void *user) {
    (void)id;
    CHECK(set_remote(((Pair *)user)->offerer, sdp, type));
}

static void found_here(int id, const char *candidate, const char *mid, void *user) {
    (void)id;
    add_candidate(((Pair *)user)->answerer, candidate, mid);
}

static void found_there(int id, const char *candidate, const char *mid, void *user) {
    (void)id;
    add_candidate(((Pair *)user)->offerer, candidate, mid);
}

static void pair_opened(int id, void *user) { (void)id; post(&((Pair *)user)->opened); }

// Connects two peers of this process and returns the seconds from the offer to the open channel.
static double connect_pair(Pair *pair) {
    sem_init(&pair->opened, 0, 0);
    pair->offerer = connection(pair);
    pair->answerer = connection(pair);
    CHECK(on_description(pair->offerer, offered));
    CHECK(on_description(pair->answerer, answered));
    CHECK(on_candidate(pair->offerer, found_here));
    CHECK(on_candidate(pair->answerer, found_there));
    double start = now();
    pair->channel = CHECK(create_channel(pair->offerer, "data"));
    set_user_pointer(pair->channel, pair);
    CHECK(on_open(pair->channel, pair_opened));
    await(&pair->opened, "the open channel");
    return now() - start;
}

static int ascending(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

static void setup(int runs) {
    double *times = calloc(runs, sizeof *times);
    for (int i = 0; i < runs; i++) {
        Pair *pair = calloc(1, sizeof *pair);  // kept: late callbacks have it
        times[i] = connect_pair(pair) * 1e3;
        close_connection(pair->offerer);
        close_connection(pair->answerer);
        delete_connection(pair->offerer);
        delete_connection(pair->answerer);
    }
    qsort(times, runs, sizeof *times, ascending);
    printf("{\"peer\":\"libdatachannel\",\"benchmark\":\"setup\",\"runs\":%d,\"medianMs\":%.4f,\"minimumMs\":%.4f,"
           "\"p95Ms\":%.4f}\n", runs, times[runs / 2], times[0], times[runs * 95 / 100]);
    fflush(stdout);
    _exit(0);
}

static long resident(void) {
    usleep(500 * 1000);
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1) fail("no /proc/self/statm");
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

// The slope of the resident memory over many idle pairs.
static void memory(int pairs) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    const int first = 20;  // they pay for what all share
    Pair *kept = calloc(pairs + first, sizeof *kept);
    for (int i = 0; i < first; i++) connect_pair(&kept[i]);
    long before = resident();
    for (int i = 0; i < pairs; i++) connect_pair(&kept[first + i]);
    printf("{\"peer\":\"libdatachannel\",\"benchmark\":\"memory\",\"pairs\":%d,\"kibibytesPerPair\":%.2f}\n", pairs,
           (resident() - before) / 1024.0 / pairs);
    fflush(stdout);
    _exit(0);
}

int main(int count, char **arguments) {
    if (count < 4) fail("say LIBRARY and what: throughput SIZE SECONDS, setup RUNS or memory PAIRS");
    const char *what = arguments[2];
    int number = atoi(arguments[3]);
    if (number < 1) fail("%s is no number above 0", arguments[3]);
    sem_init(&opened, 0, 0);
    sem_init(&gathered, 0, 0);
    sem_init(&low, 0, 0);
    sem_init(&ended, 0, 0);
    load(arguments[1]);
    if (strcmp(what, "throughput") == 0 && count > 4) throughput(number, atof(arguments[4]));
    if (strcmp(what, "setup") == 0) setup(number);
    if (strcmp(what, "memory") == 0) memory(number);
    fail("%s is nothing to measure", what);
}
