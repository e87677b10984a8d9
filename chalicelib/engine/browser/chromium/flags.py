"""Chromium command line: proxied network only, no background services.

Never add flags that disable web security or site isolation, nor `--single-process`.
"""

from typing import Final

from chalicelib.contract.css_values import DEFAULT_VIEWPORT

# Each context names its own proxy; traffic outside of a context meets the closed port 9.
# Chromium resolves no names: only the proxy does, so requests that bypass the interception
# (WebSocket, prefetch, preconnect, pop-ups) are checked there too (decision 15). Without
# `<-loopback>` Chromium would bypass the proxy for loopback hosts.
_PROXY_ONLY: Final = (
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--no-pings",
)
# HTML documents live at an https: origin but may load http: assets (decision 18). The flag
# applies to the whole browser, so PageRequests refuses mixed content of visited pages.
# Images that load lazily are printed too, and the browser would wait 2 s for one below the fold.
_BLINK_SETTINGS: Final = "--blink-settings=allowRunningOfInsecureContent=true,lazyLoadEnabled=false"
_NO_BACKGROUND_SERVICES: Final = (
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-notifications",
    "--disable-sync",
    # Chromium would log console lines of pages: tenant data, kept out of our logs (decision 17).
    "--enable-logging=none",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--password-store=basic",
    "--use-mock-keychain",
)
_RENDERING: Final = (
    "--headless",
    "--block-new-web-contents",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    # The pages of a lane share a process: they are of one context and one site (decision 40).
    "--process-per-site",
    "--window-size={},{}".format(*DEFAULT_VIEWPORT),
    "--lang=en-US",
    # Above the page's memory budget (lifecycle.py), so that the memory watch fires first and the
    # failure names the budget instead of a lost browser (decision 19).
    "--js-flags=--max-old-space-size=2048",
)
# Cookies are bound to scheme and port of their origin (decision 18).
_ENABLED_FEATURES: Final = (
    "CookieSameSiteConsidersRedirectChain",
    "EnablePortBoundCookies",
    "EnableSchemeBoundCookies",
)
# Without BackForwardCache and RenderDocument a lane's page moves on at half the cost (decision 40).
_DISABLED_FEATURES: Final = (
    "AutoupgradeMixedContent",
    "BackForwardCache",
    "AutofillServerCommunication",
    "MediaRouter",
    "NetworkPrediction",
    "OptimizationHints",
    "Prerender2",
    "RenderDocument",
    "SpareRendererForSitePerProcess",
    "Translate",
)


def command_line(executable: str, profile: str, *, sandbox: bool) -> list[str]:
    """Return the argument vector; pass `sandbox=False` only where the platform is the sandbox."""
    return [
        executable,
        *_RENDERING,
        *_PROXY_ONLY,
        *_NO_BACKGROUND_SERVICES,
        _BLINK_SETTINGS,
        f"--enable-features={','.join(_ENABLED_FEATURES)}",
        f"--disable-features={','.join(_DISABLED_FEATURES)}",
        *(() if sandbox else ("--no-sandbox",)),
        "--remote-debugging-pipe",
        f"--user-data-dir={profile}",
    ]
