// The law: an excerpt never makes a certain statement that the whole dump refutes.

const MISSING = new Set(['missing tables accept it', 'missing rules do not affect it'])

/** Reads a text as the command does; undefined if there is nothing to read in it. */
export function read(text, { parseDump }) {
  const parsed = parseDump(text, { lenient: true })
  return parsed.ok ? parsed.value : undefined
}

/** Creates the answers about a node: of explain and of its diagnoses for a packet, and of verify for the node. */
export function createAnswers({ result, cluster }, dump, library) {
  const { addExpectedChains, annotateOwners, diagnoseNode, diagnosePacket, explain, traceContextFor, verify } = library
  const families = new Map(
    result.families.map(({ family, plan, state: compiled }) => {
      const completed = dump[family].coverage === undefined ? dump[family] : addExpectedChains(dump[family], compiled)
      const state = annotateOwners(completed, compiled)
      return [family, { state, plan, compiled, context: traceContextFor(plan) }]
    }),
  )
  return {
    explain: (family, packet) => {
      const { state, plan, compiled, context } = families.get(family)
      const explanation = explain(state, packet, { plan, compiled, nodes: cluster.nodes, ...context })
      const diagnoses = diagnosePacket(explanation, state, { result, ...context })
      return { explanation, diagnoses }
    },
    verify: () => {
      const report = verify(result, dump)
      return { report, diagnoses: diagnoseNode(result, dump, report) }
    },
  }
}

const outcomeOf = ({ outcome }) => JSON.stringify({ ...outcome, reason: undefined })
const isHedged = ({ summary }) => /\b(?:may|might|cannot|unknown)\b/.test(summary)

/** Compares the answers about a packet. Returns the number of comparisons, and the statements that the whole refutes. */
export function comparePackets(whole, part) {
  const faults = comparePaths(whole.explanation.paths, part.explanation.paths)
  const divergence = part.explanation.reason?.divergence
  const wholeDivergence = whole.explanation.reason?.divergence
  if (divergence !== undefined && divergence !== 'undetermined' && divergence !== wholeDivergence)
    faults.push(`explain: the outcome is ${divergence} instead of ${wholeDivergence}`)
  faults.push(...compareDiagnoses(whole.diagnoses, part.diagnoses))
  return { count: part.explanation.paths.length + 1 + part.diagnoses.length, faults }
}

/**
 * Compares the paths of a whole dump and of an excerpt. A path of the excerpt is certain if all its conditions are also
 * conditions of the whole. The excerpt must have each outcome of the whole, unless it has unknown outcomes.
 */
function comparePaths(whole, part) {
  if (whole.some(({ outcome }) => outcome.kind === 'unknown')) return []
  const outcomes = new Set(whole.map(outcomeOf))
  const conditions = new Set(whole.flatMap(({ assumptions }) => assumptions.map(({ condition }) => condition)))
  const isCertain = ({ assumptions }) =>
    assumptions.every(({ condition }) => conditions.has(condition) && !MISSING.has(condition))
  const known = part.filter(({ outcome }) => outcome.kind !== 'unknown')
  const faults = known
    .filter((path) => isCertain(path) && !outcomes.has(outcomeOf(path)))
    .map((path) => `explain: ${outcomeOf(path)} instead of ${[...outcomes].join(' or ')}`)
  const isOpen =
    known.length < part.length ||
    part.some(({ assumptions }) => assumptions.some(({ condition }) => MISSING.has(condition)))
  const possible = new Set(known.map(outcomeOf))
  if (!isOpen && ![...outcomes].every((outcome) => possible.has(outcome)))
    faults.push(`explain: only ${[...possible].join(' or ')} instead of ${[...outcomes].join(' or ')}`)
  return faults
}

/** Diagnoses that describe the normal path of a packet. They are true if its outcome is, whatever else is wrong. */
const DESCRIPTIONS = new Set(['servedByNeighbor'])

function compareDiagnoses(whole, part, drifting = []) {
  return (
    part
      .filter(({ code }) => whole.length === 0 || !DESCRIPTIONS.has(code))
      .filter((diagnosis) => !isHedged(diagnosis) && !whole.some(({ code }) => code === diagnosis.code))
      // If a node has several faults, the diagnosis of the whole may be about another one.
      .filter(({ object }) => !drifting.some((name) => object.includes(name)))
      .map(({ code, summary }) => `diagnosis ${code}: ${summary}`)
  )
}

/** Compares the answers about a node, with the number of comparisons as above. */
export function compareReports(whole, part) {
  const itemsOf = ({ families }) =>
    families.flatMap(({ family, drift }) => drift.flatMap((group) => group.drift.map((each) => ({ family, ...each }))))
  const keyOf = ({ family, subsystem, location, kind, found = '', expected = '' }) =>
    [
      family,
      subsystem,
      location,
      kind,
      kind === 'extra' && !found.startsWith(':') ? found : kind === 'missing' ? expected : '',
    ].join('|')
  const known = itemsOf(whole.report)
  const keys = new Set(known.map(keyOf))
  const items = itemsOf(part.report)
  const faults = items.flatMap((item) => (keys.has(keyOf(item)) ? [] : [`verify: ${keyOf(item)}`]))
  if (part.report.verdict === 'noDrift' && whole.report.verdict === 'drift')
    faults.push('verify: no drift instead of drift')
  const drifting = whole.report.families.flatMap(({ drift }) =>
    drift.map(({ servicePort }) => servicePort.split(':')[0]),
  )
  faults.push(
    ...compareDiagnoses(
      whole.diagnoses,
      part.diagnoses,
      drifting.filter((name) => name !== ''),
    ),
  )
  return { count: items.length + 1 + part.diagnoses.length, faults }
}

/** Returns packets to every frontend from every origin, and to an address of nobody. */
export function packetsOf({ families }) {
  return families.flatMap(({ family, plan }) => {
    const sources = {
      pod: family === 'IPv4' ? '10.244.1.77' : 'fd00:10:244:1::77',
      node: plan.node.ip,
      outside: family === 'IPv4' ? '198.51.100.1' : '2001:db8::1',
    }
    const own = plan.node.addresses.find(({ interface: name }) => name !== 'lo')?.address
    const places = plan.services.flatMap(({ id, frontends }) =>
      frontends.map(({ kind, address, port }) => ({
        destination: kind === 'nodePort' ? own : address,
        destinationPort: port,
        protocol: id.protocol,
      })),
    )
    const all = [
      ...places,
      { destination: family === 'IPv4' ? '10.96.77.77' : 'fd00:10:96::7777', destinationPort: 80, protocol: 'TCP' },
    ]
    return all
      .filter(
        ({ destination, destinationPort }) => typeof destination === 'string' && Number.isInteger(destinationPort),
      )
      .flatMap((place) =>
        Object.entries(sources).map(([origin, source]) => ({ family, packet: { origin, source, ...place } })),
      )
      .filter(({ packet }) => typeof packet.source === 'string' && packet.source !== '')
  })
}
