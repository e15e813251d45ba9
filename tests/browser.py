"""A real browser without a window, steered by its driver."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import axe_core_python
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

if TYPE_CHECKING:
    from collections.abc import Iterator

BINARY, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
SWITCHES = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run")
PATIENCE = 30
AXE = next(Path(axe_core_python.__file__).parent.rglob("axe.min.js")).read_text(encoding="utf-8")


class Browser:
    """A window on one service."""

    def __init__(self, driver: webdriver.Chrome, url: str) -> None:
        self.driver, self.url = driver, url

    def open(self, path: str) -> None:
        self.driver.get(f"{self.url}{path}")

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> Any:
        """The first element, as soon as it is there."""
        self.until(lambda: self.all(selector))
        return self.all(selector)[0]

    def until(self, holds: Any) -> Any:
        return WebDriverWait(self.driver, PATIENCE, poll_frequency=0.02).until(lambda _: holds())

    def press(self, *keys: str) -> None:
        """Keys to whatever has the focus."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def run(self, script: str, *given: object) -> Any:
        return self.driver.execute_script(script, *given)

    def complaints(self) -> list[str]:
        """What the browser wrote to its console."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def faults(self) -> list[str]:
        """What axe finds serious on the page."""
        self.run(AXE)
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, {resultTypes: ['violations']}).then(found => done(found.violations));"
        )
        return [
            f"{one['id']}: {node['html']}" for one in found if one["impact"] in ("serious", "critical") for node in one["nodes"]
        ]

    def size(self, width: int, height: int) -> None:
        """The size of the page itself, whatever the least size of a window."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def scheme(self, name: str) -> None:
        """Light or dark, as the system would have it."""
        features = [{"name": "prefers-color-scheme", "value": name}, {"name": "prefers-reduced-motion", "value": "reduce"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def scripts(self, *, on: bool) -> None:
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not on})


@contextmanager
def browser(url: str) -> Iterator[Browser]:
    options = Options()
    options.binary_location = BINARY
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for switch in SWITCHES:
        options.add_argument(switch)
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        made = Browser(driver, url)
        made.size(1100, 760)
        made.scheme("light")
        yield made
    finally:
        driver.quit()


ENTER, ESCAPE, TAB, SPACE = Keys.ENTER, Keys.ESCAPE, Keys.TAB, Keys.SPACE
