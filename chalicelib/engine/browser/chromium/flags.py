"""The browser's command line: one way out to a network, nothing that writes, asks or phones home.

Never here: the flags that switch off web security or site isolation, and `--single-process`.
"""

from typing import Final

from chalicelib.engine.options.image import DEFAULT_VIEWPORT

# Each context has a proxy of its own; what is in none would ask one that is not there.
# Names resolve to nothing here: only the proxy looks them up, so whatever slips past the
# interception of requests (WebSocket, prefetch, preconnect, popups) is checked there. Without
# `<-loopback>` Chromium would go around the proxy for addresses of this machine.
_PROXY_ONLY: Final = (
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--no-pings",
)
# Documents stand at https: and may have parts from http: addresses all the same. What a page of the
# web may not load is refused with its requests.
_ALLOW_HTTP_ASSETS: Final = "--blink-settings=allowRunningOfInsecureContent=true"
_NO_BACKGROUND_SERVICES: Final = (
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-notifications",
    "--disable-sync",
    # What pages write to their consoles is their tenant's: it must not stand in a log of ours.
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
    "--window-size={},{}".format(*DEFAULT_VIEWPORT),
    "--lang=en-US",
    # More than a page may take of memory: whoever takes it is told so (lifecycle.py), and not that
    # the browser was lost.
    "--js-flags=--max-old-space-size=2048",
)
# A cookie is its origin's alone.
_ENABLED_FEATURES: Final = (
    "CookieSameSiteConsidersRedirectChain",
    "EnablePortBoundCookies",
    "EnableSchemeBoundCookies",
)
_DISABLED_FEATURES: Final = (
    "AutoupgradeMixedContent",
    "AutofillServerCommunication",
    "MediaRouter",
    "NetworkPrediction",
    "OptimizationHints",
    "Prerender2",
    "SpareRendererForSitePerProcess",
    "Translate",
)


def command_line(executable: str, profile: str, *, sandbox: bool) -> list[str]:
    """Return the whole command; `sandbox` is off only where the platform itself is the sandbox."""
    return [
        executable,
        *_RENDERING,
        *_PROXY_ONLY,
        *_NO_BACKGROUND_SERVICES,
        _ALLOW_HTTP_ASSETS,
        f"--enable-features={','.join(_ENABLED_FEATURES)}",
        f"--disable-features={','.join(_DISABLED_FEATURES)}",
        *(() if sandbox else ("--no-sandbox",)),
        "--remote-debugging-pipe",
        f"--user-data-dir={profile}",
    ]
