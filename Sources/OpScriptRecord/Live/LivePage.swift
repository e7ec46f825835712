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
        output.append(text: PageText.style)
        output.append("</style>\n</head>\n<body>\n")
        output.append(text: body)
        output.append("<script>\n")
        output.append(text: PageText.tools)
        output.append(text: data)
        output.append(text: PageText.timelineScript)
        output.append(text: PageText.liveScript)
        output.append("</script>\n</body>\n</html>\n")
        return output.bytes
    }()

    private static let body =
        PageText.live + PageText.timeline
            + """
            <section><h2>Works</h2><table id="works"></table></section>
            <section><h2>Workers</h2><table id="workers"></table></section>
            </main>

            """

    /// The content of the timeline before the first message.
    private static let data = """
        const data = { names: [], places: [], queues: [], lanes: [], causes: [], path: [], count: 0, number: [],
          name: [], group: [], place: [], queue: [], lane: [], outcome: [], attempts: [], toReady: [], toStart: [],
          start: [], length: [], cause: [], by: [] };
        const run = { duration: 0, name: "" }, profile = { works: [] };

        """
}
