// Numbers the elements of each rule with the page of their target; `numbers` are by fragment.
(rules, numbers) => {
  const all = (selector) => Document.prototype.querySelectorAll.call(document, selector);
  rules.forEach(({selectors, attribute}, index) => {
    const hosts = selectors.replace(/::?(?:before|after|marker)\b/gi, '');
    let elements;
    try { elements = all(hosts); } catch { return; }
    for (const element of elements) {
      const address = element.getAttribute(attribute) ?? '';
      let fragment = address.slice(address.indexOf('#') + 1);
      try { fragment = decodeURIComponent(fragment); } catch { /* as it is */ }
      const name = `--platen-target-${index}`;
      if (Object.hasOwn(numbers, fragment)) {
        element.style.setProperty(name, numbers[fragment]);
      } else {
        element.style.removeProperty(name);
        if (!element.style.length) element.removeAttribute('style');
      }
    }
  });
}
