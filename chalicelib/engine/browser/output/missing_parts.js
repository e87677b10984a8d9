// Finds the parts of the document that failed although nothing, or an answer of status 200, came for
// them, and puts alternative texts in the place of broken pictures: the browser draws an icon there.
// Runs in the isolated world. Returns pairs of source and kind: empty, address or picture.
//
// `failed` are the sources that are known to have failed, `looksAtStyles` tells whether style sheets
// have pictures as data: URLs. Members of `document` are read through the prototype, because named
// elements shadow them.
async (failed, looksAtStyles) => {
  const MAX_MISSING = 100;
  const MAX_SOURCE = 600;
  const MAX_WAIT_MS = 1000;
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const all = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)];
  const attribute = (element, name) => Element.prototype.getAttribute.call(element, name);
  const known = new Set(failed);
  const base = Reflect.get(Node.prototype, 'baseURI', document);
  const missing = new Map();

  const tell = (source, kind) => {
    const short = source.slice(0, MAX_SOURCE);
    if (missing.size < MAX_MISSING && !missing.has(short)) { missing.set(short, kind); }
  };
  const withoutFragment = (source) => /^https?:/i.test(source) ? source.split('#')[0] : source;
  const resolve = (text) => URL.canParse(text, base) ? new URL(text, base).href : '';
  const isKnown = (source) => known.has(withoutFragment(source).replace(location.origin, ''));
  const within = (promise, late) => Promise.race([
    promise, new Promise((done) => setTimeout(done, MAX_WAIT_MS, late))]);

  // A picture by a data: URL is loaded once more: it tells by an event only whether it can be read.
  const probes = new Map();
  const isReadable = (source) => {
    if (!probes.has(source)) {
      probes.set(source, within(new Promise((done) => {
        const probe = new Image();
        probe.onload = () => done(true);
        probe.onerror = () => done(false);
        probe.src = source;
      }), true));
    }
    return probes.get(source);
  };

  const checkAddresses = () => {
    const kinds = [
      ['img, script, video, audio, source, embed, input[type=image i]', 'src'],
      ['link[rel~=stylesheet i]', 'href'], ['object', 'data'], ['svg image', 'href']];
    for (const [selector, name] of kinds) {
      for (const element of all(selector)) {
        const text = attribute(element, name);
        if (text === null || element.naturalWidth) { continue; }
        if (!text.trim()) {
          tell(`${element.localName}[${name}=""]`, 'empty');
        } else if (!URL.canParse(text, base)) {
          tell(text.trim(), 'address');
        }
      }
    }
  };

  const brokenImages = async () => {
    const suspects = [...own('images')].filter((image) => image.complete && !image.naturalWidth
      && (image.currentSrc || attribute(image, 'src') !== null || attribute(image, 'alt')));
    // A picture of no size is not broken.
    const states = await Promise.all(suspects.map((image) =>
      within(image.decode().then(() => false, () => true), false)));
    const broken = suspects.filter((_, n) => states[n]);
    for (const {currentSrc} of broken) {
      if (currentSrc && URL.canParse(currentSrc)) {
        tell(withoutFragment(currentSrc), 'picture');
      }
    }
    return broken;
  };

  // Elements that show a picture, but do not tell whether they could.
  const isBroken = async (element) => {
    const text = attribute(element, 'poster') ?? attribute(element, 'src')
      ?? attribute(element, 'href') ?? attribute(element, 'xlink:href');
    if (text === null) { return false; }
    const source = resolve(text);
    if (/^data:/i.test(source) && !(await isReadable(source))) {
      tell(source, 'picture');
      return true;
    }
    return !text.trim() || isKnown(source);
  };
  const brokenOthers = async () => {
    const elements = all('input[type=image i], svg image, video[poster]');
    const states = await Promise.all(elements.map(isBroken));
    return elements.filter((_, n) => states[n]);
  };

  const styleTexts = function* (rules) {
    for (const rule of rules) {
      if (rule.cssRules?.length) { yield* styleTexts(rule.cssRules); }
      if (rule instanceof CSSStyleRule && rule.cssText.includes('data:image')) {
        const selector = rule.selectorText.replace(/::?(?:before|after|first-l\w+|marker)/g, '');
        let isUsed = true;
        try { isUsed = all(selector || '*').length > 0; } catch { /* Not known: it counts. */ }
        if (isUsed) { yield rule.style.cssText; }
      }
    }
  };

  const checkStyles = async () => {
    const texts = all('[style*="data:image" i]').map((element) => element.style.cssText);
    for (const sheet of own('styleSheets')) {
      try { texts.push(...styleTexts(sheet.cssRules)); } catch { continue; }
    }
    const sources = new Set(texts.flatMap((text) =>
      [...text.matchAll(/url\("(data:image\/[^"]*)"\)/g)].map((match) => match[1])));
    await Promise.all([...sources].map(async (source) => {
      if (!(await isReadable(source))) { tell(source, 'picture'); }
    }));
  };

  // How the picture stands among its neighbours; the document's rules for its class come before.
  const PLACE = ['display', 'float', 'clear', 'position', 'inset', 'margin', 'vertical-align',
    'flex', 'order', 'grid-area', 'align-self', 'justify-self'];
  const DROPPED = new Set(['src', 'srcset', 'sizes', 'alt', 'width', 'height', 'loading', 'type']);
  const MARK = 'data-platen-picture';
  const rules = [`[${MARK}="none"] {visibility: hidden !important}`];

  const asText = (picture, text) => {
    const style = getComputedStyle(picture);
    const span = Document.prototype.createElement.call(document, 'span');
    // A document may write names that setAttribute refuses.
    for (const each of picture.attributes) {
      if (!DROPPED.has(each.name) && !/^on/i.test(each.name)) {
        span.setAttributeNode(each.cloneNode());
      }
    }
    span.setAttribute(MARK, rules.length);
    span.textContent = text;
    const place = PLACE.map((name) => `${name}:${style.getPropertyValue(name)}`).join(';');
    rules.push(`:where([${MARK}="${rules.length}"]) {${place}}`);
    return {
      replace: () => Element.prototype.replaceWith.call(picture, span),
      restore: () => span.replaceWith(picture),
    };
  };

  const asNothing = (picture) => ({
    replace: () => picture.setAttribute(MARK, 'none'),
    restore: () => picture.removeAttribute(MARK),
  });

  const replacePictures = (pictures) => {
    const replacements = pictures.filter((picture) => picture.localName !== 'video'
      && getComputedStyle(picture).display !== 'none').map((picture) => {
      const text = attribute(picture, 'alt')?.trim();
      return text ? asText(picture, text) : asNothing(picture);
    });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules.join('\n'));
    Reflect.set(Document.prototype, 'adoptedStyleSheets',
      [...own('adoptedStyleSheets'), sheet], document);
    replacements.forEach(({replace}) => replace());
    // Read by sanitized_html.js: what is written has the pictures.
    globalThis.platenPictures = replacements;
  };

  checkAddresses();
  const broken = [...await brokenImages(), ...await brokenOthers()];
  if (looksAtStyles) { await checkStyles(); }
  if (broken.length) { replacePictures(broken); }
  return [...missing];
}
