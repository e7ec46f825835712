/// The live page: the page of a record. It shows the current numbers instead of those that are known only at the end.
package enum LivePage {
    /// The permissions of the page in a browser: to run its own scripts, and to connect to its own server.
    package static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
        + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// The page, the same for all runs.
    package static let bytes: [UInt8] = {
        let output = ByteOutput { _ in }
        output.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        output.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        output.append("<title>run</title>\n<style>\n")
        output.append(text: PageStyle.text)
        output.append("</style>\n</head>\n<body>\n")
        output.append(text: body)
        output.append("<script>\n")
        output.append(text: PageTools.text)
        output.append(text: LivePageScript.data)
        output.append(text: PageTimelineScript.text)
        output.append(text: LivePageScript.text)
        output.append("</script>\n</body>\n</html>\n")
        return output.bytes
    }()

    private static let body =
        #"""
        <main>
        <h1 id="title">run</h1>
        <p id="subtitle" class="soft" role="status">connecting</p>
        <p id="note" class="note" role="status" hidden></p>
        <div class="tools"><button id="cancelRun">Cancel the run</button>
        <span id="report" hidden><a id="reportLink">The whole report of this run</a></span></div>
        <dl class="sums" id="sums"></dl>
        <canvas id="load" role="img" aria-label="Running operations and throughput over time"></canvas>
        <p class="soft">Running operations (area) and operations that finish in a second (line).</p>
        <noscript><p class="note">This page needs JavaScript to show its data.</p></noscript>
        <section id="failures" hidden><h2>Failures</h2></section>
        <section><h2>Queues</h2><p id="queueText" class="soft" hidden></p><table id="queues"></table></section>
        <section><h2>Running</h2><p id="runningText" class="soft" hidden></p><table id="running"></table></section>

        """#
        + PageBody.timeline
            + #"""
            <section><h2>Works</h2><table id="works"></table></section>
            <section><h2>Workers</h2><table id="workers"></table></section>
            </main>

            """#
}
