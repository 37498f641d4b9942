/** Attributes by name; `true` is an attribute without value, `false` and undefined none. Listeners are `onclick` and so on. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: never) => void)>>

export type Child = Node | string

/**
 * An element of this page. Children that are text become text and nothing else, whatever is in them, so that no name of an
 * object can be markup; there is no other way here to make elements.
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  return filled(document.createElement(name), attributes, children)
}

/** The same for drawings. */
export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Name] {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children)
}

/** The colour of a service port, for the style sheet. */
export function withHue<Made extends HTMLElement | SVGElement>(made: Made, hue: number | undefined): Made {
  if (hue !== undefined) made.style.setProperty('--hue', String(hue))
  return made
}

function filled<Made extends Element>(made: Made, attributes: Attributes, children: readonly Child[]): Made {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.replace(/^on/, ''), value as EventListener)
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : String(value))
  }
  made.append(...children)
  return made
}
