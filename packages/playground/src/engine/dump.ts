import { annotateOwners, listFrontends } from '@kube-rules/analyzer/explain'
import {
  concatViews,
  diagnosisView,
  type PrintedLine,
  printLines,
  recognizePrograms,
  reportView,
} from '@kube-rules/analyzer/view'
import { assumeVersion, compileCluster, noteAssumedVersion } from '@kube-rules/application/cluster'
import { readBackends } from '@kube-rules/application/dump'
import {
  chooseVerifiedFamilies,
  describeReference,
  printVerification,
  verifyNode,
} from '@kube-rules/application/verify'
import type { CompileResult, Dump, NodeState } from '@kube-rules/compiler'
import { IP_FAMILIES } from '@kube-rules/types'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { catchFailure, formatFailure } from './failure.js'
import { joinLines } from './join-lines.js'
import { rewordMessage, rewordView } from './page-words.js'
import type { PlaygroundCache } from './playground-cache.js'
import type { DumpResult } from './results.js'
import { findRuleLineNumbers } from './rule-line-numbers.js'
import { packetsTo, printRequestLines, servicePortsOfResult } from './rules.js'
import { truncateView } from './truncate-view.js'

/** Checks a dump for deviations, and finds the Service of each of its rules. */
export function computeDumpResult(question: PlaygroundRequest, memory: PlaygroundCache): DumpResult {
  if (question.dump.trim() === '') return problemAnswer('')
  let backEnds: ReturnType<typeof readBackends>
  try {
    backEnds = readBackends([{ name: 'dump', text: question.dump }])
  } catch (error) {
    return problemAnswer(formatFailure(error))
  }
  const notes = backEnds.flatMap((each) => [...each.notes, ...each.coverages])
  const dumps = backEnds.map(({ dump }) => dump)
  try {
    const { cluster, values, result: whole } = memory.compiled(question)
    const families = chooseVerifiedFamilies(undefined, cluster, backEnds[0].dump)
    const assumed = assumeVersion(cluster, values, backEnds[0].dump)
    const kubernetesVersion = assumed?.ofDump ?? values.kubernetesVersion
    const result = compileCluster(cluster, { ...values, kubernetesVersion }, families, { previous: whole, dumps })
    const judged = verifyNode(result, backEnds, { input: cluster })
    const comparedWith = describeReference(result, cluster)
    const diagnoses = rewordView(concatViews(judged.diagnoses.map(diagnosisView)))
    const { view: report, left } = truncateView(reportView(judged.report, comparedWith), MOST_LINES)
    const version = noteAssumedVersion(assumed, result, judged.report)
    const more = left === 0 ? [] : [`${left} more lines of the report are not shown; “Copy” has them`]
    return {
      problem: '',
      ...owned(dumpLines(dumps, result), servicePortsOfResult(whole)),
      diagnoses,
      report,
      reportText: printVerification(judged, comparedWith),
      lines: findRuleLineNumbers(printRequestLines(question, { cluster, result: whole }, memory), [
        ...diagnoses,
        ...report,
      ]),
      packets: [],
      notes: [...new Set([...noteOfMode(dumps, result), ...version, ...more, ...notes])].map(rewordMessage),
    }
  } catch (error) {
    // Shows the dump even without objects: the comments of its rules still identify their owners.
    const failure = formatFailure(error)
    const isAlone = question.objects.trim() === '' && failure.endsWith(': empty')
    return {
      ...problemAnswer(isAlone ? failureOfSettings(question, memory) : failure),
      ...owned(dumpLines(dumps, undefined), []),
      packets: isAlone ? packetsThrough(dumps) : [],
      notes: isAlone ? [...notes, 'paste the objects of the cluster to see the drift'] : notes,
    }
  }
}

/** Returns packets to the frontends in dumps, without node ports: a dump does not contain the addresses of the node. */
function packetsThrough(dumps: readonly Dump[]): readonly string[] {
  const frontends = dumps.flatMap((dump) => IP_FAMILIES.flatMap((family) => listFrontends(dump[family])))
  // A dump does not show which addresses are cluster IPs, so all count as such.
  return packetsTo(frontends.flatMap((each) => (each.kind === 'nodePort' ? [] : { ...each, kind: 'clusterIP' })))
}

/** A Service without rules. */
const HEADLESS = '{ apiVersion: v1, kind: Service, metadata: { name: x, namespace: x }, spec: { clusterIP: None } }'

/** Returns the error that the settings and interfaces cause regardless of the objects; empty if they cause no error. */
function failureOfSettings(question: PlaygroundRequest, memory: PlaygroundCache): string {
  return catchFailure(
    () => {
      memory.compiled({ ...question, objects: HEADLESS })
      return ''
    },
    (failure) => failure,
  )
}

/** Returns a note if the dump contains rules of exactly one kube-proxy mode, and this mode is not the compiled mode. */
function noteOfMode(dumps: readonly Dump[], { mode }: CompileResult): readonly string[] {
  const marks = MODE_MARKS.filter(({ isIn }) => dumps.some((dump) => IP_FAMILIES.some((family) => isIn(dump[family]))))
  const [other, ...others] = marks.map((each) => each.mode)
  if (other === undefined || others.length > 0 || other === mode) return []
  return [
    `the dump has rules of ${other} mode, and the rules here are those of ${mode} mode: choose ${other} as the mode`,
  ]
}

/** For each mode of kube-proxy, a check for resources that only this mode creates. */
const MODE_MARKS: readonly { readonly mode: string; readonly isIn: (state: NodeState) => boolean }[] = [
  { mode: 'nftables', isIn: ({ nftables }) => nftables?.tables.some(({ name }) => name === 'kube-proxy') ?? false },
  { mode: 'ipvs', isIn: ({ ipset }) => ipset?.sets.some(({ name }) => name === 'KUBE-CLUSTER-IP') ?? false },
  {
    mode: 'iptables',
    isIn: ({ iptables }) =>
      iptables?.tables.some(({ blocks }) =>
        blocks.some(({ chains }) => chains.some((chain) => /^KUBE-(?:SVC|SEP)-/.test(chain))),
      ) ?? false,
  },
]

/** Maximum number of lines in a report. */
const MOST_LINES = 4_000

/**
 * Prints the dumps in the format of the tools, with the owner of each line. The owner follows from the comment of the
 * rule and from the compiled rules.
 */
function dumpLines(dumps: readonly Dump[], result: CompileResult | undefined): readonly PrintedLine[] {
  return dumps.flatMap((dump) =>
    IP_FAMILIES.flatMap((family) => {
      const expected = result?.families.find((each) => each.family === family)?.state
      return printLines(annotateOwners(dump[family], expected), { format: 'save' })
    }),
  )
}

function owned(
  lines: readonly PrintedLine[],
  names: readonly string[],
): Pick<DumpResult, 'text' | 'owners' | 'counts' | 'programs' | 'names'> {
  const programs = recognizePrograms(lines)
  const counts = countsOf(lines.map(({ servicePort }) => servicePort))
  const others = countsOf(programs)
  const all = [...new Set([...names, ...[...counts, ...others].map(({ name }) => name)])]
  const { text, owners } = joinLines(
    lines.map(({ text: line, servicePort }, index) => ({
      text: line,
      servicePort: servicePort || programs[index] || '',
    })),
    all,
  )
  return { text, owners, names: all, counts, programs: others }
}

/** Counts the lines of each owner, in the order of the names. */
function countsOf(owners: readonly string[]): DumpResult['counts'] {
  const counts = new Map<string, number>()
  for (const owner of owners) if (owner !== '') counts.set(owner, (counts.get(owner) ?? 0) + 1)
  return Array.from(counts, ([name, lines]) => ({ name, lines })).sort((a, b) => (a.name < b.name ? -1 : 1))
}

function problemAnswer(problem: string): DumpResult {
  const nothing = {
    text: '',
    owners: new Uint16Array(),
    diagnoses: [],
    report: [],
    reportText: '',
    notes: [],
    lines: {},
    packets: [],
  }
  return { problem: rewordMessage(problem), ...nothing, names: [], counts: [], programs: [] }
}
