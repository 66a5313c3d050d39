// Measures pion v3 the way duet is measured: throughput between two processes, set-up and memory in one.
//
//	pion-bench throughput SIZE SECONDS
//	pion-bench setup RUNS
//	pion-bench memory PAIRS
//
// With DUET_BENCH_RELAY=URL,USERNAME,CREDENTIAL in the environment, the offerer shows nothing but its relay there.
//
// Each prints one JSON object. pion fixes the size of its SCTP packets at 1,228 bytes; there is no setting for it. It
// leaves its sockets with the receive buffer that the system gives them, 208 KiB, which overflows as soon as the receiver
// has to wait for the processor; what it takes for a loss then costs it half of its rate, and a second where the last
// packets are among it. So its sockets get the buffer that duet asks for.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pion/transport/v2"
	"github.com/pion/transport/v2/stdnet"
	"github.com/pion/webrtc/v3"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("pion-bench: ")
	if len(os.Args) < 2 {
		log.Fatal("say what: throughput SIZE SECONDS, setup RUNS or memory PAIRS")
	}
	switch os.Args[1] {
	case "throughput":
		throughput(number(2), time.Duration(number(3))*time.Second)
	case "receive":
		receive()
	case "setup":
		setup(number(2))
	case "memory":
		memory(number(2))
	default:
		log.Fatalf("%q is nothing to measure", os.Args[1])
	}
}

func number(position int) int {
	if position >= len(os.Args) {
		log.Fatal("a number is missing")
	}
	return must(strconv.Atoi(os.Args[position]))
}

func must[Value any](value Value, err error) Value {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func say(value any) {
	fmt.Println(string(must(json.Marshal(value))))
}

// cpu is what this process and its ended children have used, in seconds.
func cpu() float64 {
	total := 0.0
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		check(syscall.Getrusage(who, &usage))
		total += float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
	}
	return total
}

// roomyNet is the system's network, with a larger receive buffer for each socket.
type roomyNet struct{ *stdnet.Net }

const receiveBuffer = 2 << 20

func (network roomyNet) ListenUDP(kind string, address *net.UDPAddr) (transport.UDPConn, error) {
	socket, err := network.Net.ListenUDP(kind, address)
	if err == nil {
		err = socket.SetReadBuffer(receiveBuffer)
	}
	return socket, err
}

func (network roomyNet) ListenPacket(kind string, address string) (net.PacketConn, error) {
	socket, err := network.Net.ListenPacket(kind, address)
	if udp, isUDP := socket.(*net.UDPConn); isUDP && err == nil {
		err = udp.SetReadBuffer(receiveBuffer)
	}
	return socket, err
}

func connected(configuration webrtc.Configuration) *webrtc.PeerConnection {
	engine := webrtc.SettingEngine{}
	engine.SetNet(roomyNet{must(stdnet.NewNet())})
	return must(webrtc.NewAPI(webrtc.WithSettingEngine(engine)).NewPeerConnection(configuration))
}

func connection() *webrtc.PeerConnection { return connected(webrtc.Configuration{}) }

// offering is a connection that offers: through the relay of the environment, if there is one.
func offering() *webrtc.PeerConnection {
	relay := strings.SplitN(os.Getenv("DUET_BENCH_RELAY"), ",", 3)
	if len(relay) != 3 {
		return connection()
	}
	return connected(webrtc.Configuration{
		ICETransportPolicy: webrtc.ICETransportPolicyRelay,
		ICEServers: []webrtc.ICEServer{{
			URLs: relay[:1], Username: relay[1], Credential: relay[2], CredentialType: webrtc.ICECredentialTypePassword,
		}},
	})
}

// described sets the local description and returns it with all candidates inside.
func described(peer *webrtc.PeerConnection, description webrtc.SessionDescription) webrtc.SessionDescription {
	gathered := webrtc.GatheringCompletePromise(peer)
	check(peer.SetLocalDescription(description))
	<-gathered
	return *peer.LocalDescription()
}

// report is what the receiving process tells at its end.
type report struct {
	Bytes   int
	Seconds float64
	CPU     float64
}

// throughput sends messages to a second process for a while.
func throughput(size int, limit time.Duration) {
	receiver := exec.Command(os.Args[0], "receive")
	receiver.Stderr = os.Stderr
	input, output := must(receiver.StdinPipe()), must(receiver.StdoutPipe())
	check(receiver.Start())
	lines := bufio.NewReader(output)

	peer := offering()
	channel := must(peer.CreateDataChannel("bench", nil))
	opened, low := make(chan struct{}), make(chan struct{}, 1)
	channel.OnOpen(func() { close(opened) })
	channel.SetBufferedAmountLowThreshold(1 << 20)
	channel.OnBufferedAmountLow(func() {
		select {
		case low <- struct{}{}:
		default:
		}
	})
	offer := described(peer, must(peer.CreateOffer(nil)))
	fmt.Fprintln(input, string(must(json.Marshal(offer))))
	var answer webrtc.SessionDescription
	check(json.Unmarshal(must(lines.ReadBytes('\n')), &answer))
	check(peer.SetRemoteDescription(answer))
	<-opened

	before := cpu()
	message := make([]byte, size)
	for end := time.Now().Add(limit); time.Now().Before(end); {
		check(channel.Send(message))
		if channel.BufferedAmount() > 4<<20 {
			<-low
		}
	}
	check(channel.SendText("end"))
	var result report
	check(json.Unmarshal(must(lines.ReadBytes('\n')), &result))
	used := cpu() - before + result.CPU
	check(peer.Close())
	check(input.Close())
	check(receiver.Wait())
	say(map[string]any{
		"peer": "pion", "benchmark": "throughput", "size": size,
		"megabytesPerSecond": float64(result.Bytes) / 1e6 / result.Seconds,
		"cpuSecondsPerGB":    used / (float64(result.Bytes) / 1e9),
	})
}

// receive answers one offer and counts what comes, from the first message to the last.
func receive() {
	lines := bufio.NewReader(os.Stdin)
	peer := connection()
	peer.OnDataChannel(func(channel *webrtc.DataChannel) {
		var first, last time.Time
		var before float64
		bytes := 0
		channel.OnMessage(func(message webrtc.DataChannelMessage) {
			if message.IsString {
				say(report{bytes, last.Sub(first).Seconds(), cpu() - before})
				return
			}
			last = time.Now()
			if bytes == 0 {
				first, before = last, cpu()
			}
			bytes += len(message.Data)
		})
	})
	var offer webrtc.SessionDescription
	check(json.Unmarshal(must(lines.ReadBytes('\n')), &offer))
	check(peer.SetRemoteDescription(offer))
	say(described(peer, must(peer.CreateAnswer(nil))))
	_, _ = lines.ReadBytes('\n') // until the sender is done
}

// pair connects two peers of this process, candidates trickled by hand, and returns the time from createOffer to open.
func pair() (*webrtc.PeerConnection, *webrtc.PeerConnection, time.Duration) {
	one, other := offering(), connection()
	var mutex sync.Mutex
	var held []webrtc.ICECandidateInit
	described := false
	one.OnICECandidate(func(candidate *webrtc.ICECandidate) {
		if candidate == nil {
			return
		}
		mutex.Lock()
		defer mutex.Unlock()
		if described {
			_ = other.AddICECandidate(candidate.ToJSON())
		} else {
			held = append(held, candidate.ToJSON())
		}
	})
	var answered sync.Mutex
	answered.Lock()
	other.OnICECandidate(func(candidate *webrtc.ICECandidate) {
		if candidate != nil {
			init := candidate.ToJSON()
			go func() {
				answered.Lock()
				answered.Unlock() //nolint:staticcheck // only waits until the answer is there
				_ = one.AddICECandidate(init)
			}()
		}
	})
	channel := must(one.CreateDataChannel("data", nil))
	opened := make(chan struct{})
	channel.OnOpen(func() { close(opened) })

	start := time.Now()
	offer := must(one.CreateOffer(nil))
	check(one.SetLocalDescription(offer))
	check(other.SetRemoteDescription(offer))
	mutex.Lock()
	described = true
	for _, candidate := range held {
		check(other.AddICECandidate(candidate))
	}
	mutex.Unlock()
	answer := must(other.CreateAnswer(nil))
	check(other.SetLocalDescription(answer))
	check(one.SetRemoteDescription(answer))
	answered.Unlock()
	<-opened
	return one, other, time.Since(start)
}

func setup(runs int) {
	times := []float64{}
	for i := 0; i < runs; i++ {
		one, other, took := pair()
		times = append(times, float64(took.Microseconds())/1e3)
		_ = one.Close()
		_ = other.Close()
	}
	sort.Float64s(times)
	say(map[string]any{
		"peer": "pion", "benchmark": "setup", "runs": runs,
		"medianMs": times[runs/2], "minimumMs": times[0], "p95Ms": times[runs*95/100],
	})
}

// memory is the slope of the resident memory over many idle pairs.
func memory(pairs int) {
	kept := []*webrtc.PeerConnection{}
	grow := func(count int) {
		for i := 0; i < count; i++ {
			one, other, _ := pair()
			kept = append(kept, one, other)
		}
	}
	grow(20)
	before := resident()
	grow(pairs)
	say(map[string]any{
		"peer": "pion", "benchmark": "memory", "pairs": pairs,
		"kibibytesPerPair": float64(resident()-before) / float64(pairs) / 1024,
	})
	runtime.KeepAlive(kept)
}

// resident is what the process holds once its garbage is gone: Go would keep it for a while.
func resident() int {
	time.Sleep(time.Second)
	debug.FreeOSMemory()
	fields := strings.Fields(string(must(os.ReadFile("/proc/self/statm"))))
	return must(strconv.Atoi(fields[1])) * os.Getpagesize()
}
