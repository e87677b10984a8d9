// Returns a short selector of an element: its id, or its classes and place, and its parent's.
(element, maxChars = 120) => {
  const own = (each) => {
    const {localName, id, classList} = each;
    if (id) return `${localName}#${CSS.escape(id)}`;
    const classes = [...classList].slice(0, 2).map((name) => `.${CSS.escape(name)}`).join('');
    let place = 1, others = 0;
    for (let other = each.previousElementSibling; other; other = other.previousElementSibling) {
      if (other.localName === localName) place++;
    }
    for (let other = each.nextElementSibling; other && !others; other = other.nextElementSibling) {
      if (other.localName === localName) others++;
    }
    return `${localName}${classes}${place + others > 1 ? `:nth-of-type(${place})` : ''}`;
  };
  const parent = element.parentElement;
  const isTop = element.id || !parent || parent === element.ownerDocument.documentElement;
  return (isTop ? own(element) : `${own(parent)} > ${own(element)}`).slice(0, maxChars);
}
