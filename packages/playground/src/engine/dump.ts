import { type CompileResult, type Dump, verify } from '@kube-rules/compiler'
import { attribute, printAnswer } from '@kube-rules/compiler/explain'
import { isDumpedByFamily, languageNames } from '@kube-rules/compiler/tables'
import { answerNode, printReport } from '@kube-rules/compiler/verify'
import { joinViews, type PrintedLine, printedLines, viewOfAnswer, viewOfReport } from '@kube-rules/compiler/view'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { Question } from '../question/question.js'
import type { DumpAnswer } from './answers.js'
import { linesOfRules } from './lines-of-rules.js'
import type { Memory } from './memory.js'
import { ownedText, printedFor, servicePortsOf } from './rules.js'

/** What a node holds that it should not, and which Service each of its rules belongs to. */
export async function answerDump(question: Question, memory: Memory): Promise<DumpAnswer> {
  if (question.dump.trim() === '') return problemAnswer('')
  const dump = memory.dump(question.dump)
  if (!dump.ok) return problemAnswer(unreadable(dump.problems))
  const notes = notesOf(dump)
  const compiled = await memory.compiled(question, { dump: dump.value })
  if (!compiled.ok) return { ...problemAnswer(compiled.message), ...owned(dumpLines(dump.value, undefined), []), notes }
  const { result, cluster } = compiled.value
  const wanted = result.families.filter(({ family }) => familiesOf(dump.value).includes(family))
  const judged = { ...result, families: wanted.length > 0 ? wanted : result.families }
  const report = verify(judged, dump.value)
  const answers = answerNode(judged, dump.value, report)
  const name = result.families[0]?.plan.node.name
  const own = cluster.configuration === undefined ? `no KubeProxyConfiguration (${RECIPE})` : 'the KubeProxyConfiguration given'
  const comparedWith = `mode ${result.mode} of ${result.kubernetesVersion}, ${name ? `node ${name}` : 'no node'}, ${own}`
  const view = viewOfReport(report, comparedWith)
  const answersView = joinViews(answers.map(viewOfAnswer))
  return {
    problem: '',
    ...owned(dumpLines(dump.value, result), servicePortsOf(result)),
    answers: answersView,
    report: view,
    lines: linesOfRules(printedFor(question, compiled.value), [...answersView, ...view]),
    reportText: answers.map((answer) => `${printAnswer(answer)}\n`).join('') + printReport(report, comparedWith),
    notes,
  }
}

const RECIPE = 'kubectl -n kube-system get cm kube-proxy -o json'

/** Those that were dumped. */
function familiesOf(dump: Dump): readonly IpFamily[] {
  return IP_FAMILIES.filter((family) => languageNames().some((name) => isDumpedByFamily(name) && dump[family][name] !== undefined))
}

/** What the dump holds, as its tools print it, line by line with whose it is: by what it says itself, and by what was compiled. */
export function dumpLines(dump: Dump, result: CompileResult | undefined): readonly PrintedLine[] {
  return familiesOf(dump).flatMap((family) => {
    const wanted = result?.families.find((each) => each.family === family)?.state
    return printedLines(attribute(dump[family], wanted), { spelling: 'save' })
  })
}

function owned(lines: readonly PrintedLine[], names: readonly string[]): Pick<DumpAnswer, 'text' | 'owners' | 'counts' | 'names'> {
  const found = new Map<string, number>()
  for (const { servicePort } of lines) if (servicePort !== '') found.set(servicePort, (found.get(servicePort) ?? 0) + 1)
  const all = [...names, ...[...found.keys()].filter((name) => !names.includes(name)).sort()]
  return { ...ownedText(lines, all), names: all, counts: Array.from(found, ([name, count]) => ({ name, lines: count })) }
}

/** How many of one kind are told. */
const MOST_NOTES = 10

type Readable = Extract<ReturnType<Memory['dump']>, { readonly ok: true }>

function notesOf({ problems, notes }: Readable): readonly string[] {
  const left = problems.map(({ line, column, message }) => `line ${line}, column ${column}: left out: ${message}`)
  const taken = notes.map(({ code, line, message }) => (code === 'fragment' ? message : `line ${line}: ${message}`))
  return [left, taken].flatMap((lines) => {
    const more = lines.length - MOST_NOTES
    return more <= 0 ? lines : [...lines.slice(0, MOST_NOTES), `… and ${more} more`]
  })
}

function unreadable(problems: readonly { readonly line: number; readonly message: string }[]): string {
  const [first] = problems
  return `nothing in it can be read${first === undefined ? '' : `: line ${first.line}: ${first.message}`}`
}

function problemAnswer(problem: string): DumpAnswer {
  const nothing = { text: '', owners: new Uint16Array(), answers: [], report: [], reportText: '', notes: [], lines: {} }
  return { problem, ...nothing, names: [], counts: [] }
}
