"""Drives Chromium over a pipe, by the DevTools protocol: nothing but Python's standard library is needed."""

import json
import os
import shutil
import subprocess
import tempfile
import time


class Browser:
    """One headless browser with one page. Collects what the page requests and complains of."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="opscript-site-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        # The browser reads from descriptor 3 and writes to 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}', program, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", f"--user-data-dir={self.profile}"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(to_browser), os.close(from_browser)
        self.number, self.buffer, self.session = 0, b"", None
        self.requests, self.complaints, self.loads = [], [], 0
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.output), os.close(self.input)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.input, 1 << 16)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, event, details):
        if event == "Network.requestWillBeSent":
            self.requests.append(details["request"]["url"])
        elif event == "Network.loadingFailed" and not details.get("canceled"):
            self.complaints.append(f"a request failed: {details['errorText']}")
        elif event == "Network.responseReceived" and details["response"]["status"] >= 400:
            self.complaints.append(f"{details['response']['status']}: {details['response']['url']}")
        elif event == "Runtime.exceptionThrown":
            exception = details["exceptionDetails"]
            self.complaints.append(exception.get("exception", {}).get("description", exception["text"]))
        elif event == "Runtime.consoleAPICalled" and details["type"] in ("error", "assert"):
            self.complaints.append(" ".join(str(part.get("value", part.get("description"))) for part in details["args"]))
        elif event == "Log.entryAdded" and details["entry"]["level"] == "error":
            self.complaints.append(details["entry"]["text"])
        elif event == "Page.loadEventFired":
            self.loads += 1

    def open(self, url):
        """Opens a page and waits until it is loaded."""
        self.requests, self.complaints, before = [], [], self.loads
        failed = self.call("Page.navigate", url=url).get("errorText")
        if failed:
            raise RuntimeError(f"{url}: {failed}")
        while self.loads == before:
            self.receive()

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def wait_for(self, expression, seconds=20):
        """What an expression gives once it is true; None if it does not become true in time."""
        end = time.monotonic() + seconds
        while True:
            value = self.evaluate(expression)
            if value or time.monotonic() > end:
                return value or None
            time.sleep(0.05)

    def resize(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
