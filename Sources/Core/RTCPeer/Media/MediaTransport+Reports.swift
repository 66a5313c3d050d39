internal import RTCMedia
internal import RTCTransport
internal import RTCWire

extension MediaTransport {
    /// Writes one RTCP packet with everything due, if anything is.
    func sendReports(into batch: inout TransmitBatch, at now: Instant, tap: PacketObserver) {
        let isReportDue = reports.nextReport <= now && hasMedia
        let isFeedbackDue =
            incoming.contains { each in each.stream.map { $0.nextDeadline <= now } ?? false }
            || congestion.isFeedbackDue(at: now)
        guard isReportDue || isFeedbackDue, batch.room >= Self.datagramSize
        else { return }
        let memory = batch.next
        var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: memory[..<(Self.datagramSize - rtcpOverhead)]))
        var headSize = 0
        if isReportDue {
            writeReports(to: &writer, at: now)
            reports.reportSent(size: writer.count + rtcpOverhead, at: now, random: random)
        } else if !isReducedSize {
            // Without RFC 5506 every RTCP packet starts with a report.
            ReceiverReport.write(from: reportingSSRC, blocks: [], to: &writer)
            SourceDescription.write(cname: cname, of: reportingSSRC, to: &writer)
            headSize = writer.count
        }
        let source = reportingSSRC
        for media in incoming { media.stream?.writeFeedback(from: source, at: now, to: &writer) }
        congestion.writeFeedback(from: source, at: now, to: &writer)
        // A due stream may have turned out to have nothing to send.
        guard writer.count > headSize, !writer.overflowed else { return }
        tap.observe(UnsafeRawBufferPointer(writer.written), .rtcp)
        guard let size = srtp?.protectRTCP(memory, count: writer.count) else { return }
        if copies.isCopying { copies.note(memory, count: size, isSound: true, at: now) }
        batch.commit(size)
    }

    /// Whether there are media to report on.
    var hasMedia: Bool { outgoing.contains { $0.isAgreed } || incoming.contains { $0.stream != nil } }

    private var isReducedSize: Bool { incoming.allSatisfy { $0.parameters.isRTCPReducedSize } }

    /// The SSRC of our feedback: that of a sending stream, if there is one.
    var reportingSSRC: SynchronizationSource {
        outgoing.first { $0.isAgreed && $0.stream != nil }?.ssrc ?? reportingSource
    }

    /// Writes a sender report for each of our streams, or else a receiver report; the first contains the reception
    /// reports.
    private func writeReports(to writer: inout ByteWriter, at now: Instant) {
        var blocks: [ReportBlock] = []
        for media in incoming where blocks.count < 30 { media.stream?.appendReportBlocks(to: &blocks, at: now) }
        var sources: [SynchronizationSource] = []
        // Rotates the order, so that all streams get their turn if not all fit.
        reportTurn = outgoing.isEmpty ? 0 : (reportTurn + 1) % outgoing.count
        for each in outgoing[reportTurn...] + outgoing[..<reportTurn] where each.isAgreed {
            guard let info = each.stream?.senderInfo(at: now, clock: clock) else { continue }
            SenderReport.write(info, from: each.ssrc, blocks: sources.isEmpty ? blocks[...] : [], to: &writer)
            sources.append(each.ssrc)
            let more = SenderReport.size + (sources.count + 1) * SourceDescription.size(cname: cname)
            guard writer.room >= more else { break }
        }
        if sources.isEmpty {
            ReceiverReport.write(from: reportingSSRC, blocks: blocks[...], to: &writer)
            sources.append(reportingSSRC)
        }
        for source in sources { SourceDescription.write(cname: cname, of: source, to: &writer) }
    }

    /// Sends a BYE for our sources, once (RFC 3550, section 6.6).
    func sendGoodbyes(into batch: inout TransmitBatch, at now: Instant, tap: PacketObserver) {
        let sources = outgoing.filter { ($0.stream?.statistics.packetsSent ?? 0) > 0 }.map(\.ssrc)
        guard !hasSentBye, !sources.isEmpty, batch.room >= Self.datagramSize else { return }
        hasSentBye = true
        let memory = batch.next
        var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: memory[..<(Self.datagramSize - rtcpOverhead)]))
        ReceiverReport.write(from: sources[0], blocks: [], to: &writer)
        SourceDescription.write(cname: cname, of: sources[0], to: &writer)
        for source in sources.prefix(100) { Goodbye.write(source, to: &writer) }
        guard !writer.overflowed else { return }
        tap.observe(UnsafeRawBufferPointer(writer.written), .rtcp)
        guard let size = srtp?.protectRTCP(memory, count: writer.count) else { return }
        batch.commit(size)
    }
}
