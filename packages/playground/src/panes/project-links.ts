import { createElement } from '../dom/create-element.js'

/** The page is a folder of the documentation site, but also a file of its own. */
const isInSite = location.protocol.startsWith('http') && /\/playground\/(?:index\.html)?$/.test(location.pathname)

const LINKS = [
  ['Documentation', isInSite ? '../' : 'https://kube-rules.github.io/kube-rules/'],
  ['Source', 'https://github.com/kube-rules/kube-rules'],
] as const

/** Creates the links to the documentation and to the source. */
export function createProjectLinks(): readonly HTMLElement[] {
  return LINKS.map(([text, href]) => createElement('a', { href, target: '_blank', rel: 'noreferrer' }, text))
}
