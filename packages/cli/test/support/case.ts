/** Splits a command line without quotes or backslashes into words. */
export function splitWords(line: string): readonly string[] {
  if (/["'\\$|;<>]/.test(line)) throw new Error(`${line}: plain words are expected`)
  return line.trim().split(/\s+/)
}

/**
 * Reports whether one of the texts has an object of this kind and name: `Service default/web`, `Node node-1`,
 * `KubeProxyConfiguration`.
 */
export function namesObject(object: string, texts: readonly string[]): boolean {
  const [kind = '', name] = object.split(' ')
  const [last, namespace] = name?.split('/').reverse() ?? []
  return texts.some((text) =>
    text
      .split(/^---$/m)
      .some(
        (document) =>
          document.includes(`kind: ${kind}\n`) &&
          (last === undefined || hasField(document, 'name', last)) &&
          (namespace === undefined || hasField(document, 'namespace', namespace)),
      ),
  )
}

function hasField(document: string, field: string, value: string): boolean {
  return new RegExp(`\\b${field}: "?${value}"?[ ,}\\n]`).test(document)
}

/**
 * Reports whether the text contains a rule. For the id of a chain, set, entry or server, one line must contain all of
 * its words.
 */
export function isInRules(rule: string, text: string): boolean {
  // An element that an nft rule finds in its map: the text has the rule and the element in different lines.
  const [, element] = /^[^{]*vmap \{ (.*) \}$/.exec(rule) ?? []
  if (element !== undefined) return text.includes(element)
  // A policy, which iptables-save prints as the line of its chain.
  const [, policy] = /^-P (\S+ \S+)$/.exec(rule) ?? []
  if (policy !== undefined) return text.includes(`\n:${policy} [`)
  const words = rule.split(/[\s/]+/).filter((word) => !KINDS.has(word))
  const lines = text.split('\n').map((line) => line.trim().replace(/^\[\d+:\d+\] /, ''))
  return lines.some((line) => line === rule || words.every((word) => line.includes(word)))
}

/** The prefixes of ids. */
const KINDS: ReadonlySet<string> = new Set([
  'nat',
  'filter',
  'mangle',
  'raw',
  'ipset',
  'ipvs',
  'TCP',
  'UDP',
  'SCTP',
  'address',
])
