// Elements that findings of PDF/UA and PDF/A are about, as the browser tags them: all headings; pictures
// without a text; all tables, and whether one looks as if a finding could name it. Runs in the isolated
// world. Members of `document` are read through the prototype, because named elements shadow them.
(maxElements, maxChars) => {
  const ROLES = '[role=none], [role=presentation]';
  const all = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)]
    .slice(0, maxElements).filter((element) => !element.matches(ROLES) &&
      !element.closest('[aria-hidden=true], [inert]') &&
      element.checkVisibility({visibilityProperty: true}));
  const cut = (text) => {
    const clean = text.replace(/\s+/g, ' ').trim();
    return clean.length > maxChars ? `${clean.slice(0, maxChars)}…` : clean;
  };
  // Addresses are redacted before they are cut.
  const attribute = (element, name) => name === 'src'
    ? element.getAttribute(name).trim().slice(0, 2000) : cut(element.getAttribute(name) ?? '');
  const tagOf = (element) => {
    const names = ['src', 'role', 'id', 'class'].filter((name) => element.hasAttribute(name));
    return [element.localName, names.map((name) => [name, attribute(element, name)])];
  };
  const hasName = (element) => ['alt', 'aria-label', 'aria-labelledby', 'title'].some(
    (name) => element.hasAttribute(name));
  const isOdd = (table) => {
    const widths = new Set([...table.rows].map(({cells}) => [...cells].reduce(
      (width, cell) => cell.rowSpan > 1 ? NaN : width + cell.colSpan, 0)));
    return widths.size > 1 || widths.has(NaN);
  };
  return {
    // An empty heading has no tag.
    headings: all('h1, h2, h3, h4, h5, h6, [role=heading]').filter((element) =>
      /\S/.test(element.textContent) || element.querySelector('img, svg, [role=img]')).map((element) =>
      [...tagOf(element), cut(element.textContent.slice(0, 20 * maxChars))]),
    pictures: all('img, [role=img]').filter((element) => !hasName(element)).map((element) =>
      [...tagOf(element), '']),
    tables: all('table').map((table) =>
      [[...tagOf(table), cut(table.textContent.slice(0, 20 * maxChars))], [...table.rows].map(({cells}) => cells.length)]),
    hasOddTable: all('table').some(isOdd),
  };
}
