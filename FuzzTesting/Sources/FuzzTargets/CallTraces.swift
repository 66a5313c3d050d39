import RTCSimulation
import RTCWire

/// The trace of a call, as anybody may send it in: each connection in it becomes a schedule that can be read, whatever its numbers.
func fuzzCallTrace(_ bytes: [UInt8]) {
    let calls = CallTrace.calls(in: bytes)
    precondition(calls.count <= CallTrace.mostCalls, "more calls than there may be")
    var before: (link: TracedLink, timeOfDay: Int)?
    // A trace of six hours is 216,000 intervals: a few of them show as much as all.
    for call in calls.prefix(4) {
        var last = TimeDelta(nanoseconds: -1)
        for sample in call.samples {
            precondition(sample.time > last && sample.time <= CallTrace.longest, "time goes back, or on for ever")
            last = sample.time
        }
        let link = TracedLink(call)
        check(TracedSchedule(title: "a # b\nc", forward: link))
        if let before {
            let offset = TimeDelta.milliseconds(Int64(call.timeOfDay - before.timeOfDay))
            check(TracedSchedule(title: "", forward: link, backward: before.link, offset: offset))
        }
        before = (link, call.timeOfDay)
    }
}

private func check(_ schedule: TracedSchedule) {
    do throws(NetworkScheduleError) {
        let read = try NetworkSchedule(schedule.text)
        precondition(read.steps.allSatisfy { $0.time >= .zero }, "a step before the beginning")
        precondition(read.steps.count < 1_000_000 && read.flows.count == 1, "not the schedule of a call")
    } catch {
        preconditionFailure("a schedule that cannot be read: \(error)")
    }
}
