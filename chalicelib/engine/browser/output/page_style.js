// Returns what the style sheets of a document say about its pages: size and margins of unnamed
// `@page` rules, and texts that may hold what the browser does not read.
() => {
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const unread = /target-counter|size\s*:[^:;}]{0,60}auto/i;
  const page = {}, texts = [];
  const readRules = (rules) => {
    for (const rule of rules) {
      if (rule instanceof CSSPageRule && !rule.selectorText) {
        for (const name of ['size', 'marginTop', 'marginRight', 'marginBottom', 'marginLeft']) {
          page[name] = rule.style[name] || page[name];
        }
      } else if (rule instanceof CSSImportRule && rule.styleSheet) {
        readSheet(rule.styleSheet);
      } else if (rule instanceof CSSLayerBlockRule
          || (rule instanceof CSSMediaRule && /print|all/.test(rule.conditionText))) {
        readRules(rule.cssRules);
      }
    }
  };
  const readSheet = (sheet) => {
    try { readRules(sheet.cssRules); } catch { return; }
  };
  for (const sheet of own('styleSheets')) {
    if (sheet.disabled) continue;
    readSheet(sheet);
    const text = sheet.href ? '' : sheet.ownerNode?.textContent ?? '';
    if (unread.test(text)) texts.push(text);
  }
  return {page, texts};
}
