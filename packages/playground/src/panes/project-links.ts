import { createElement } from '../dom/create-element.js'

const LINKS = [
  ['Documentation', 'https://kube-rules.github.io/kube-rules/'],
  ['Source', 'https://github.com/kube-rules/kube-rules'],
] as const

/** Creates the links to the documentation and to the source. */
export function createProjectLinks(): readonly HTMLElement[] {
  return LINKS.map(([text, href]) => createElement('a', { href, target: '_blank', rel: 'noreferrer' }, text))
}
