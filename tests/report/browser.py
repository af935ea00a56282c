"""A headless Chromium, spoken to through chromedriver by the W3C WebDriver protocol; standard library only.

    with Browser() as browser:
        browser.open(Path("report.html"))
        browser.run("return document.title")

Browser() raises NoBrowser where Chromium or chromedriver is not installed. The profile is new and goes away at the end, as
do the driver and everything that it started.
"""

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ARGUMENTS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--disable-default-apps", "--hide-scrollbars", "--force-device-scale-factor=1",
]  # fmt: skip
START_SECONDS = 120  # chromedriver and Chromium together, on a busy machine
ANSWER_SECONDS = 120


class NoBrowser(Exception):
    """Chromium or its driver is not installed."""


class BrowserError(Exception):
    """The driver refused a command."""


def find(*names):
    for name in names:
        if path := shutil.which(name):
            return path
    raise NoBrowser(f"found none of {', '.join(names)}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser:
    def __init__(self):
        chromium, driver = find("chromium", "chromium-browser", "google-chrome"), find("chromedriver")
        self.folder = tempfile.mkdtemp(prefix="loa-browser-")
        self.process, self.session = None, None
        try:
            self.start(chromium, driver)
        except BaseException:
            self.close()
            raise

    def start(self, chromium, driver):
        # Another process may take the port between the question and the start: then the driver ends, and we ask again.
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            port = free_port()
            self.url = f"http://127.0.0.1:{port}"
            self.process = subprocess.Popen(
                [driver, f"--port={port}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True,
                env={**os.environ, "HOME": self.folder, "TMPDIR": self.folder},
            )  # fmt: skip
            while self.process.poll() is None and time.monotonic() < deadline:
                try:
                    if self.ask("GET", "/status")["ready"]:
                        self.open_session(chromium)
                        return
                except (OSError, ValueError):
                    pass
                time.sleep(0.1)
            self.stop_process()
        raise BrowserError(f"chromedriver did not answer within {START_SECONDS} s")

    def open_session(self, chromium):
        options = {"binary": chromium, "args": ARGUMENTS + [f"--user-data-dir={self.folder}/profile"]}
        capabilities = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.session = answer["sessionId"]

    def ask(self, method, path, body=None):
        """The `value` of the answer. OSError: no answer; BrowserError: a refusal."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=ANSWER_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.loads(error.read() or b"{}").get("value") or {}
            raise BrowserError(f"{path}: {value.get('message', error)}") from None

    def command(self, method, path, body=None):
        return self.ask(method, f"/session/{self.session}{path}", body)

    def cdp(self, command, **parameters):
        """A command of the Chrome DevTools Protocol."""
        return self.command("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, page):
        self.command("POST", "/url", {"url": page if isinstance(page, str) else Path(page).resolve().as_uri()})

    def run(self, script, *arguments):
        """The value that a script returns, the body of a function of `arguments`."""
        return self.command("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def log(self):
        """What the console said since the last call: dicts with `level` and `message`."""
        return self.command("POST", "/se/log", {"type": "browser"})

    def resize(self, width, height):
        """The window inside, in CSS pixels; narrower than a real window may become."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def colour_scheme(self, scheme):
        """light or dark."""
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path):
        """The whole page as PNG."""
        picture = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        Path(path).write_bytes(base64.b64decode(picture["data"]))

    def stop_process(self):
        """Ends the driver and the browser, which are a group of their own."""
        if self.process is None:
            return
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, sign)
                self.process.wait(timeout=10)
            except (ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
                pass
        self.process = None

    def close(self):
        if self.session is not None:
            try:
                self.command("DELETE", "")
            except (OSError, BrowserError):
                pass
            self.session = None
        self.stop_process()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
