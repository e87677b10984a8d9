// Marks the controls of the document for AcroForm fields: over each lies a link whose URL tells the
// field, so that the PDF has its place. The controls show no values, which the fields show; they keep
// them, as rules of the document may depend on them (`:checked`, `:placeholder-shown`, `:invalid`).
// Runs in the isolated world; `platenUnmark` undoes it.
(prefix, scale, maxControls) => {
  const TEXTS = new Set(['text', 'email', 'tel', 'url', 'search', 'number', 'date', 'time', 'month',
    'week', 'datetime-local', 'password']);
  const MARK = 'data-platen-field';
  // Further than any line is long: what is clipped is not in the PDF, unlike what is transparent.
  const FAR = '-30000000px';
  // The frame of a check box or radio button as the browser draws it.
  const FRAME = {appearance: 'none', 'box-sizing': 'border-box', background: '#fff',
    border: '1px solid #767676'};
  const DISABLED_FRAME = {background: '#f8f8f8', 'border-color': '#cfcfcf'};
  // Styles are compared for so many controls at once.
  const BATCH = 50;
  const rules = [
    `[${MARK}]::placeholder, [${MARK}]::-webkit-datetime-edit, [${MARK}] option,
      [${MARK}] optgroup { visibility: hidden !important }`,
    `[${MARK}] option, [${MARK}] optgroup { text-indent: 0 !important }`,
    `[${MARK}], [${MARK}]::before, [${MARK}]::after { transition: none !important }`,
  ];
  const undo = [];
  const style = (element, rules) => {
    const before = element.getAttribute('style');
    undo.push(() => {
      // An attribute that nobody has read since it changed would be left empty, not removed.
      element.getAttribute('style');
      if (before === null) element.removeAttribute('style');
      else element.setAttribute('style', before);
    });
    for (const [name, value] of Object.entries(rules)) {
      element.style.setProperty(name, value, 'important');
    }
  };
  const kindOf = (control) => {
    if (control.localName === 'textarea') return 'multiline';
    if (control.localName === 'select') return 'select';
    if (control.type === 'checkbox' || control.type === 'radio') return control.type;
    return TEXTS.has(control.type) ? 'text' : null;
  };
  // Without the texts of controls in it.
  const textOf = (element) => {
    const walker = Document.prototype.createTreeWalker.call(document, element, NodeFilter.SHOW_TEXT);
    let text = '';
    while (walker.nextNode()) {
      const {data, parentElement} = walker.currentNode;
      const isShown = parentElement.checkVisibility({visibilityProperty: true});
      if (isShown && !parentElement.closest('select, textarea, button, script, style')) text += data;
    }
    return text.replace(/\s+/g, ' ').trim();
  };
  // Radio buttons are one field, which is named by their group.
  const groupOf = (control) => {
    const group = control.closest('fieldset, [role=radiogroup]');
    const legend = group?.querySelector(':scope > legend');
    return group?.getAttribute('aria-label') || (legend ? textOf(legend) : '');
  };
  const labelOf = (control) => ((control.type === 'radio' && groupOf(control)) ||
    control.getAttribute('aria-label') || control.title ||
    [...(control.labels ?? [])].map(textOf).join(' ')).slice(0, 500);
  const forms = [...Document.prototype.querySelectorAll.call(document, 'form')];
  const describe = (control, kind, index) => {
    const look = getComputedStyle(control);
    const choices = kind === 'select' ? [...control.options] : [];
    const isPassword = control.type === 'password';
    return {
      index, kind, name: control.name || control.id, form: forms.indexOf(control.form),
      value: isPassword ? '' : control.value, is_on: control.checked === true,
      options: choices.map((each) => [each.value, each.label, each.selected]),
      is_list: kind === 'select' && (control.multiple || control.size > 1),
      is_multiple: control.multiple === true && kind === 'select', is_password: isPassword,
      is_read_only: control.readOnly === true || control.matches(':disabled'), is_required: control.required === true,
      max_length: control.maxLength > 0 ? control.maxLength : 0, label: labelOf(control),
      size: parseFloat(look.fontSize) * 0.75 * scale, color: look.color,
      align: look.textAlign, family: look.fontFamily.slice(0, 200),
      is_bold: Number(look.fontWeight) >= 600, is_italic: look.fontStyle !== 'normal',
    };
  };
  const isButton = (control) => control.type === 'checkbox' || control.type === 'radio';
  // The rules that hide what a control shows. Each of these only reads, for one layout in all.
  const withoutText = (control) => {
    const look = getComputedStyle(control);
    const isSized = look.fieldSizing === 'content';
    const size = isSized ? {width: look.width, height: look.height, 'field-sizing': 'fixed'} : {};
    return {...size, 'text-indent': FAR, 'text-align': 'start'};
  };
  // An indent is that of the first line only, so all lines are put far below.
  const withoutLines = (control) => {
    const look = getComputedStyle(control);
    const pixels = (...names) => names.reduce((sum, name) => sum + parseFloat(look[name]), 0);
    const across = control.clientWidth - pixels('paddingLeft', 'paddingRight');
    const down = control.clientHeight - pixels('paddingTop', 'paddingBottom');
    return {'contain': 'size', 'contain-intrinsic-size': `${across}px ${down}px`,
      'line-height': '1000000px'};
  };
  const withFrame = (control) => {
    const {width, height, marginBottom, verticalAlign} = getComputedStyle(control);
    // The browser's own frame stands on the line, another one with its margin.
    const raised = verticalAlign === 'baseline' ? 0 : parseFloat(verticalAlign);
    const place = isNaN(raised) ? {} : {'vertical-align': `${raised - parseFloat(marginBottom)}px`};
    return {...FRAME, ...place, width, height, ...control.disabled && DISABLED_FRAME,
      'border-radius': control.type === 'radio' ? '50%' : '2px'};
  };
  let names = null;
  const lookOf = (control, part) => {
    const look = getComputedStyle(control, part);
    names ??= [...look];
    const isAbsent = part && look.content === 'none';
    return new Map((isAbsent ? ['content'] : names).map(
      (name) => [name, look.getPropertyValue(name)]));
  };
  // Buttons that the document draws itself stay on, with the look that they have when they are off.
  const drawOff = (buttons) => {
    const looks = () => buttons.map((button) =>
      ['', '::before', '::after'].map((part) => lookOf(button, part)));
    const on = looks();
    buttons.forEach((button) => { button.checked = false; });
    const off = looks();
    buttons.forEach((button) => { button.checked = true; });
    buttons.forEach((button, n) => {
      const [own, before, after] = off[n].map((look, part) =>
        [...look].filter(([name, value]) => on[n][part].get(name) !== value));
      style(button, Object.fromEntries(own));
      for (const [part, changed] of [['before', before], ['after', after]]) {
        const text = changed.map(([name, value]) => `${name}: ${value} !important`).join(';');
        if (text) rules.push(`[${MARK}="${button.getAttribute(MARK)}"]::${part} {${text}}`);
      }
    });
  };
  const adopt = (changed) => Reflect.set(Document.prototype, 'adoptedStyleSheets', changed(
    [...Reflect.get(Document.prototype, 'adoptedStyleSheets', document)]), document);
  const host = Document.prototype.createElement.call(document, 'div');
  host.style.cssText = 'all: initial';
  const controls = [...Document.prototype.querySelectorAll.call(
    document, 'input, textarea, select')].filter(
    (control) => kindOf(control) && getComputedStyle(control).visibility === 'visible');
  const marked = controls.slice(0, maxControls);
  // Before any of them is changed: a label may need a layout.
  const fields = marked.map((control, n) => describe(control, kindOf(control), n));
  const sheet = new CSSStyleSheet();
  adopt((sheets) => [...sheets, sheet]);
  undo.push(() => adopt((sheets) => sheets.filter((other) => other !== sheet)));
  marked.forEach((control, n) => {
    control.setAttribute(MARK, n);
    undo.push(() => control.removeAttribute(MARK));
    const anchor = `--platen-field-${n}`;
    style(control, {'anchor-name': anchor, '-webkit-text-fill-color': 'transparent'});
    const link = Document.prototype.createElement.call(document, 'a');
    // Half a character has no place in a URL.
    link.href = prefix + encodeURIComponent(JSON.stringify(
      fields[n], (_, value) => typeof value === 'string' ? value.toWellFormed() : value));
    const sides = ['left', 'top', 'right', 'bottom'].map(
      (side) => `${side}: anchor(${anchor} ${side})`);
    link.style.cssText = `all: initial; position: absolute; ${sides.join('; ')}`;
    host.append(link);
  });
  sheet.replaceSync(rules.join('\n'));
  const isOwnDrawing = (control) => getComputedStyle(control).appearance === 'none';
  const drawn = marked.filter(
    (control) => isButton(control) && control.checked && isOwnDrawing(control));
  for (let first = 0; first < drawn.length; first += BATCH) {
    drawOff(drawn.slice(first, first + BATCH));
  }
  const isDrawnOff = new Set(drawn);
  const hiding = marked.map((control) => {
    if (isButton(control)) {
      return control.checked && !isDrawnOff.has(control) ? withFrame(control) : {};
    }
    return control.localName === 'textarea' ? withoutLines(control) : withoutText(control);
  });
  marked.forEach((control, n) => style(control, hiding[n]));
  sheet.replaceSync(rules.join('\n'));
  Element.prototype.append.call(
    Reflect.get(Document.prototype, 'documentElement', document), host);
  globalThis.platenUnmark = () => {
    host.remove();
    for (const step of undo.reverse()) step();
  };
  return controls.length;
}
