import { randomOf } from '../fuzz/mutate.mjs'
import { comparePackets, compareReports, createAnswers, packetsOf, read } from './check.mjs'
import { listingsOf } from './command-cuts.mjs'
import { CUTS } from './cuts.mjs'
import { changedText, readNodes } from './nodes.mjs'

/** The maximum number of packets that are compared for one excerpt. */
const PACKETS = 8

/**
 * Compares excerpts with the dumps that they are from, for a number of seconds or of rounds.
 * Returns counts and the first faults.
 */
export function runExcerpts({
  library,
  seed,
  seconds = Number.POSITIVE_INFINITY,
  rounds = Number.POSITIVE_INFINITY,
  only = '',
  maxFaults = 5,
}) {
  const random = randomOf(seed)
  const nodes = readNodes(library).filter(({ name }) => name.includes(only) || only in CUTS)
  const end = performance.now() + seconds * 1000
  const cuts = only in CUTS ? [only] : Object.keys(CUTS)
  const totals = { excerpts: 0, comparisons: 0, byCut: {}, byMode: {}, faults: [] }
  for (let round = 0; round < rounds && performance.now() < end && totals.faults.length < maxFaults; round++) {
    const node = nodes[random(nodes.length)]
    const text = random(3) === 0 ? node.text : changedText(node.text, random)
    const dump = read(text, library)
    // Some changes leave text that shows only a part of the node. Such text refutes nothing.
    if (dump === undefined || (isPart(dump) && !isPart(read(node.text, library)))) continue
    const answers = createAnswers(node, dump, library)
    const packets = packetsOf(node.result)
    const wholeReport = answers.verify()
    const known = new Map()
    let listed
    const listings = () => {
      listed ??= listingsOf(dump, library)
      return listed
    }
    for (const cut of cuts) {
      const excerpt = CUTS[cut](text.split('\n'), random, listings)
      if (excerpt === undefined) continue
      const part = read(excerpt, library)
      if (part === undefined) continue
      const own = createAnswers(node, part, library)
      const results = [compareReports(wholeReport, own.verify())]
      let certain = 0
      for (let count = 0; count < PACKETS && packets.length > 0; count++) {
        const index = random(packets.length)
        const { family, packet } = packets[index]
        if (!known.has(index)) known.set(index, answers.explain(family, packet))
        const answer = own.explain(family, packet)
        if (answer.explanation.paths.every(({ outcome }) => outcome.kind !== 'unknown')) certain++
        const { count: comparisons, faults } = comparePackets(known.get(index), answer)
        const name = `${packet.origin} to ${packet.destination}:${packet.destinationPort}/${packet.protocol}`
        results.push({ count: comparisons, faults: faults.map((fault) => `${name}: ${fault}`) })
      }
      const comparisons = results.reduce((sum, { count }) => sum + count, 0)
      totals.excerpts++
      totals.comparisons += comparisons
      add(totals.byCut, cut, comparisons, certain)
      add(totals.byMode, node.mode, comparisons, certain)
      const faults = results.flatMap((each) => each.faults)
      if (faults.length > 0) totals.faults.push({ node: node.name, cut, fault: faults[0], text: excerpt, whole: text })
    }
  }
  return totals
}

function isPart({ IPv4, IPv6 }) {
  return IPv4.coverage !== undefined || IPv6.coverage !== undefined
}

function add(counts, name, comparisons, certain) {
  counts[name] ??= { excerpts: 0, comparisons: 0, certain: 0 }
  counts[name].excerpts++
  counts[name].comparisons += comparisons
  counts[name].certain += certain
}
