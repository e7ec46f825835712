/// The look of the page of a record, in light, in dark and on paper.
enum PageStyle {
    static let text = #"""
        :root { color-scheme: light dark; --back: #fff; --text: #1b1b1b; --soft: #5a5a5a; --line: #d5d5d5;
          --panel: #f5f5f5; --bad: #a11616; --mark: #b25000; --link: #1a4f9c; }
        @media (prefers-color-scheme: dark) {
          :root { --back: #16181b; --text: #e6e6e6; --soft: #a6a6a6; --line: #3b3f45; --panel: #1f2226;
            --bad: #ff8a80; --mark: #ffb454; --link: #8ab4f8; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; padding: 1rem 1.5rem 3rem; max-width: 90rem; background: var(--back);
          color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
        h1 { font-size: 1.4rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
        p { margin: .25rem 0; } .soft { color: var(--soft); }
        .note { border-left: 4px solid var(--mark); padding: .25rem .75rem; background: var(--panel); }
        dl.sums { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .5rem;
          margin: 1rem 0; }
        dl.sums div { background: var(--panel); padding: .5rem .75rem; border-radius: 4px; }
        dl.sums dt { color: var(--soft); font-size: .85rem; } dl.sums dd { margin: 0; font-size: 1.15rem; }
        table { border-collapse: collapse; width: 100%; } caption { text-align: left; color: var(--soft); }
        th, td { text-align: right; padding: .2rem .5rem; border-bottom: 1px solid var(--line);
          font-variant-numeric: tabular-nums; }
        th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
        .bad { color: var(--bad); } details { border-bottom: 1px solid var(--line); padding: .3rem 0; }
        summary { cursor: pointer; overflow-wrap: anywhere; }
        pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--panel); padding: .5rem;
          margin: .25rem 0; font: 13px/1.4 ui-monospace, monospace; }
        .tools { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-bottom: .5rem; }
        button, input, select { font: inherit; color: inherit; background: var(--panel);
          border: 1px solid var(--line); border-radius: 4px; padding: .2rem .6rem; }
        .scroll { overflow: auto; max-height: 70vh; border: 1px solid var(--line); }
        canvas { display: block; } :focus-visible { outline: 3px solid var(--link); outline-offset: 1px; }
        #details { min-height: 5.5em; background: var(--panel); padding: .5rem .75rem; margin-top: .5rem;
          overflow-wrap: anywhere; }
        svg text { font: 12px system-ui, sans-serif; fill: var(--text); }
        svg rect { fill: var(--panel); stroke: var(--soft); } svg path { fill: none; stroke: var(--soft); }
        svg .path rect { stroke: var(--mark); stroke-width: 3; } svg .failed rect { stroke: var(--bad); }
        .key span { display: inline-block; margin-right: 1rem; }
        .key i { display: inline-block; width: .9em; height: .9em; margin-right: .3em; vertical-align: -1px; }
        @media (max-width: 40rem) { body { padding: .75rem .75rem 2rem; }
          section > table { display: block; overflow-x: auto; } }
        @media print { body { max-width: none; padding: 0; } .tools, #help { display: none; }
          .scroll { max-height: none; overflow: visible; border: 0; } canvas { max-width: 100%; }
          h2 { break-after: avoid; } details, tr { break-inside: avoid; } }

        """#
}

/// The parts of the page that do not depend on the run.
enum PageBody {
    static let text = #"""
        <main>
        <h1 id="title"></h1>
        <p id="subtitle" class="soft"></p>
        <p id="note" class="note" hidden></p>
        <p id="advice" class="note" hidden></p>
        <dl class="sums" id="sums"></dl>
        <noscript><p class="note">This page needs JavaScript to show its data.</p></noscript>
        <section id="failures" hidden><h2>Failures</h2></section>

        """#
        + timeline
            + #"""
            <section><h2>Critical path</h2><p id="pathText"></p>
            <div class="scroll" style="max-height:20rem"><table id="path"></table></div></section>
            <section><h2>Graph</h2><p id="graphText" class="soft"></p>
            <div class="scroll" id="graph" tabindex="0" aria-label="Graph of operations by name"></div></section>
            <section><h2>Works</h2><table id="works"></table></section>
            <section><h2>Waiting</h2><table id="waiting"></table></section>
            <section><h2>Workers</h2><table id="runners"></table></section>
            </main>

            """#

    /// The timeline with its tools.
    static let timeline = #"""
        <section><h2>Timeline</h2>
        <div class="tools">
        <label>Rows <select id="rows"><option value="runners">workers</option>
        <option value="queues">queues</option></select></label>
        <label>Filter <input id="filter" type="search" placeholder="part of a name"></label>
        <button id="zoomIn">Zoom in</button><button id="zoomOut">Zoom out</button>
        <button id="all">All</button><button id="previous">Previous</button><button id="next">Next</button>
        <span id="matches" class="soft" role="status"></span></div>
        <div class="key soft" id="key"></div>
        <div class="scroll"><canvas id="timeline" tabindex="0" role="application"
        aria-label="Timeline of operations" aria-describedby="help"></canvas></div>
        <p id="help" class="soft">Keys: + and − zoom, ← and → move, n and p go to the next and previous
        operation, z zooms to it, 0 shows all. The line below marks the critical path.</p>
        <div id="details" role="status"></div></section>

        """#
}
