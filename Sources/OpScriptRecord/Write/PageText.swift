internal import CTexts

/// The texts of the pages: files in the folder `Page`.
enum PageText {
    static let style = String(cString: text_page_style())

    // MARK: Bodies

    /// The head of the page of a record.
    static let summary = String(cString: text_page_summary_body())
    /// The timeline with its tools.
    static let timeline = String(cString: text_page_timeline_body())
    /// The rest of the page of a record.
    static let rest = String(cString: text_page_record_body())
    /// The head of the live page.
    static let live = String(cString: text_page_live_body())

    // MARK: Scripts

    /// The common part of the scripts.
    static let tools = String(cString: text_page_tools())
    /// The texts and tables of a record.
    static let recordScript = String(cString: text_page_record())
    static let timelineScript = String(cString: text_page_timeline())
    /// The graph of operations by name.
    static let graphScript = String(cString: text_page_graph())
    static let liveScript = String(cString: text_page_live())
}
