// Returns what the style sheets of a document say about its pages: size and margins of unnamed
// `@page` rules, and addresses or texts of sheets that may hold what the browser does not read.
// Margins are in inches, unless that depends on the page. `medium` is that of the print. Of `style`
// attributes, which are read on demand, each text comes once, as a rule. `selected` is the text of
// `@page` rules with a selector; null if they are too long, or some rules cannot be read.
(unreadPattern, medium, readsAttributes, maxSelectedChars) => {
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const unread = new RegExp(unreadPattern, 'i');
  const page = {}, texts = [];
  let selected = '', isUnknown = false;
  // A page has no font of its own; `em` is the initial size.
  const inches = (length) => {
    try {
      const sum = `calc(${length.replace(/(?<=[0-9.])r?em\b/g, ' * 16px')})`;
      return `${CSSNumericValue.parse(sum).to('in').value.toFixed(6)}in`;
    } catch { return length; }
  };
  const readRules = (rules) => {
    for (const rule of rules) {
      if (rule instanceof CSSPageRule && !rule.selectorText) {
        page.size = rule.style.size || page.size;
        for (const name of ['marginTop', 'marginRight', 'marginBottom', 'marginLeft']) {
          if (rule.style[name]) page[name] = inches(rule.style[name]);
        }
      } else if (rule instanceof CSSPageRule) {
        if (selected.length <= maxSelectedChars) selected += `${rule.cssText}\n`;
      } else if (rule instanceof CSSImportRule && rule.styleSheet) {
        readSheet(rule.styleSheet);
      } else if (rule instanceof CSSLayerBlockRule
          || (rule instanceof CSSMediaRule && /print|all/.test(rule.conditionText))
          || (rule instanceof CSSSupportsRule && CSS.supports(rule.conditionText))) {
        readRules(rule.cssRules);
      } else if (rule instanceof CSSMediaRule && !/screen/.test(rule.conditionText)) {
        isUnknown ||= [...rule.cssRules].some((inner) => inner instanceof CSSPageRule);
      }
    }
  };
  const other = medium === 'print' ? 'screen' : 'print';
  const matches = (query) => {
    const [, not, type, features] =
      /^(?:only\s+)?(not\s+)?(print|screen)?\b(.*)$/s.exec(query.trim()) ?? [];
    if (type === other) return Boolean(not);
    return matchMedia(type ? `${not ?? ''}all${features}` : query).matches;
  };
  // The medium of the print may not be set yet.
  const applies = ({media: {mediaText}}) => !mediaText || mediaText.split(',').some(matches);
  const readSheet = (sheet) => {
    if (!applies(sheet)) return;
    // Those of another origin cannot be read.
    try { readRules(sheet.cssRules); } catch { isUnknown = true; }
    // Behind what it imports, as in the cascade.
    if (sheet.href) texts.push([sheet.href, '']);
  };
  for (const sheet of [...own('styleSheets'), ...own('adoptedStyleSheets')]) {
    if (sheet.disabled) continue;
    readSheet(sheet);
    const text = sheet.href ? '' : sheet.ownerNode?.textContent ?? '';
    if (unread.test(text) && applies(sheet)) texts.push(['', text]);
  }
  const attributes = new Set();
  if (readsAttributes) {
    const parts = ['string-set', 'running(', 'footnote', 'break-before', 'break-after', 'page'];
    const selectors = parts.map((part) => `[style*="${part}" i]`).join();
    for (const element of Document.prototype.querySelectorAll.call(document, selectors)) {
      const text = element.getAttribute('style');
      if (text.length < 4000 && unread.test(text)) attributes.add(text);
      if (attributes.size === 200) break;
    }
  }
  const escaped = (text) =>
    text.replace(/["\\\n\r\f]/g, (char) => `\\${char.charCodeAt(0).toString(16)} `);
  const inline = [...attributes].map((text) => `[style="${escaped(text)}"] { ${text} }`);
  // A sheet counts once, where it is named last.
  const last = new Map(texts.map(([href], n) => [href, n]));
  if (isUnknown || selected.length > maxSelectedChars) selected = null;
  const unreadTexts = texts.filter(([href], n) => !href || last.get(href) === n);
  return {page, selected, inline, texts: unreadTexts};
}
