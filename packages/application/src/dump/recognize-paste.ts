/** The kind of a text: Kubernetes objects, or the rules of a node. */
export type PasteKind = 'objects' | 'dump'

/** The first lines of the output of iptables-save, nft, ipset and ipvsadm, and rules that are copied alone. */
const DUMP =
  /^(?:\*(?:nat|filter|mangle|raw|security)$|-[AN] [A-Z]|-A -[tuf] |table (?:ip6?|inet|arp|bridge|netdev) |create \S+ (?:hash|bitmap|list):|Chain \S+ \((?:policy|\d+ references)|IP Virtual Server version )/m

/** A field that every object has, in YAML or JSON. */
const OBJECTS = /^(?:- *|\{\s*)?"?(?:apiVersion|kind)"?: *\S/m

/** Longer texts are recognized by their beginning. */
const BEGINNING = 20_000

/** Returns the kind of a text by its first lines; undefined if it has signs of both, or of neither. */
export function recognizePaste(text: string): PasteKind | undefined {
  const beginning = text.slice(0, BEGINNING)
  const [isDump, isObjects] = [DUMP.test(beginning), OBJECTS.test(beginning)]
  if (isDump === isObjects) return undefined
  return isDump ? 'dump' : 'objects'
}
