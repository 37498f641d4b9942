/**
 * Attributes by name; `true` sets an attribute without a value, `false` and undefined set none. Names such as `onclick`
 * add listeners.
 */
type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: never) => void)>>

export type ElementChild = Node | string

/**
 * Creates an element of this page. Text children are always inserted as plain text, so that no object name can become
 * markup. All elements of the page are created with this function.
 */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly ElementChild[]
): HTMLElementTagNameMap[Name] {
  return filled(document.createElement(name), attributes, children)
}

/** Creates a small button. Attributes replace the defaults. */
export function createButton(
  label: string,
  onclick: (event: Event) => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  return createElement('button', { type: 'button', class: 'small', onclick, ...attributes }, label)
}

/** Creates a part of a pane that scrolls, and that the keyboard can reach. */
export function createRegion(name: string, label: string, ...children: readonly ElementChild[]): HTMLDivElement {
  return createElement('div', { class: name, tabindex: 0, role: 'region', 'aria-label': label }, ...children)
}

/** Creates an SVG element in the same way as `createElement`. */
export function createSvgElement<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly ElementChild[]
): SVGElementTagNameMap[Name] {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children)
}

/** Sets the hue of a service port as a CSS variable. */
export function setHue<Made extends HTMLElement | SVGElement>(made: Made, hue: number | undefined): Made {
  if (hue !== undefined) made.style.setProperty('--hue', String(hue))
  return made
}

function filled<Made extends Element>(made: Made, attributes: Attributes, children: readonly ElementChild[]): Made {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.replace(/^on/, ''), value as EventListener)
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : String(value))
  }
  made.append(...children)
  return made
}
