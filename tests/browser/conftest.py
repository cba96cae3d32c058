"""A headless Chromium; the tests of this folder are skipped where there is none."""

from __future__ import annotations

import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as started:
        # without a sandbox, because containers run as root; the pages are our own
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser):
    """Opens a file; a page that loads something, logs something or fails in a script fails the test."""
    complaints = []
    contexts = []

    def opened(path, **options):
        context = browser.new_context(**({"viewport": {"width": 1300, "height": 1000}} | options))
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: request.url.startswith("file:") or complaints.append(request.url))
        page.goto(f"file://{path}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
