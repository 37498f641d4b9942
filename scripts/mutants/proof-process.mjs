// A process that compiles a corpus with one mutant, and proves the results with the sources as they are: the plan, the
// decisions of the mode and the model of the kernel have no mutant. test-runner.mjs starts it, and can kill it if the mutant
// never ends.
import { join } from 'node:path'
import { loadSources } from './load-sources.mjs'
import { isSameForPackets } from './packet-form.mjs'
import { readCorpus } from './proof-corpus.mjs'

const [root] = process.argv.slice(2)

/** The verdict on all cases together is the first of these that any case has. */
const VERDICTS = ['found', 'undecided', 'missed', 'equal', 'comments', 'data', 'same']

const rankOf = ({ verdict }) => VERDICTS.indexOf(verdict)
const byRank = (a, b) => rankOf(a) - rankOf(b)

const COMPILE = "export { safeCompile } from './compilation/compile.js'"
const SOURCES = `
export { compare } from '../../analyzer/src/compare/compare.js'
export { prove } from '../../analyzer/src/prove/prove.js'
export { safeCompile } from '../../compiler/src/compilation/compile.js'
export { isVersionAtLeast, versionsOf } from '../../compiler/src/model/configuration/versions.js'
export { print } from '../../compiler/src/print/print.js'
export { PROXY_MODES } from '../../compiler/src/targets/modes.js'
export { parseManifests } from '@kube-rules/types/schema'
export { loadAll } from 'js-yaml'`

const { module: sources, importers } = await loadSources({ root, from: 'packages/application/src', exports: SOURCES })
const { compare, print, prove, PROXY_MODES } = sources
const corpus = withoutRepetitions(readCorpus(root, sources))

/**
 * Removes cases whose rules are equal to those of an earlier version in the same mode, and adds the results without a
 * mutant.
 */
function withoutRepetitions(cases) {
  const known = new Set()
  return cases.flatMap((each) => {
    const compiled = sources.safeCompile(each.input, each.options)
    if (!compiled.ok) return []
    const texts = textsOf(compiled.value)
    const key = JSON.stringify([each.name, each.mode, texts])
    if (known.has(key)) return []
    known.add(key)
    return [{ ...each, result: compiled.value, texts, data: dataOf(compiled.value) }]
  })
}

function textsOf({ families }) {
  return families.map(({ state }) => print(state))
}

/** Returns a whole result as text, except its version. */
function dataOf(result) {
  return JSON.stringify(result)
}

/**
 * Returns the modes that a file belongs to: the mode of its folder, and the modes with a lowering that imports the
 * file. A file that belongs to no mode, such as a list of all modes, may change any mode.
 */
function modesOf(file) {
  const found = new Set([join(root, file)])
  for (const id of found) for (const importer of importers.get(id) ?? []) found.add(importer)
  const folderOf = (mode) => `packages/compiler/src/targets/${mode}/`
  const modes = PROXY_MODES.filter(
    (mode) => file.startsWith(folderOf(mode)) || found.has(join(root, folderOf(mode), 'mode-lowering.ts')),
  )
  return modes.length === 0 ? PROXY_MODES : modes
}

/**
 * Judges one case. `soFar` is the verdict on the previous cases; a step that cannot change it is skipped. Verdicts are
 * explained in prove-mutants.mjs.
 */
function judge({ input, options, result, texts, data }, safeCompile, soFar) {
  const compiled = safeCompile(input, options)
  if (!compiled.ok) return { verdict: 'found', by: 'compile refuses' }
  const mutated = textsOf(compiled.value)
  const changed = texts.flatMap((text, index) => (text === mutated[index] ? [] : [index]))
  if (changed.length === 0) return { verdict: soFar === 'same' && dataOf(compiled.value) !== data ? 'data' : 'same' }
  if (changed.every((index) => isSameForPackets(texts[index], mutated[index]))) return { verdict: 'comments' }
  const proofs = changed.flatMap((index) => prove(withPlanOf(result, compiled.value, index)))
  if (proofs.some(({ verdict }) => verdict === 'refuted')) return { verdict: 'found', by: 'counterexample' }
  const isUndecided = (proof, at) =>
    proof.verdict === 'inconclusive' && prove(withPlanOf(result, result, changed[at]))[0].verdict === 'proven'
  if (proofs.some(isUndecided)) return { verdict: 'undecided' }
  if (soFar === 'missed' || soFar === 'undecided') return { verdict: 'missed' }
  return changed.map((index) => compareFamily(result, compiled.value, index)).sort(byRank)[0]
}

/** Compares the rules of one family with and without mutant: `equal`, or `missed` with the packets. */
function compareFamily(result, mutated, index) {
  const { plan, state } = result.families[index]
  const other = mutated.families[index].state
  const addresses = plan.node.addresses.map(({ address }) => address)
  const { differences, inconclusive } = compare(state, other, { addresses })
  const [deviation] = [...differences, ...inconclusive]
  return deviation === undefined ? { verdict: 'equal' } : { verdict: 'missed', by: wordsOf(deviation) }
}

function wordsOf({ condition, a, b }) {
  return `${condition}: ${JSON.stringify(a.outcomes)} became ${JSON.stringify(b.outcomes)}`
}

/** Returns the rules of the mutant for one family, with the plan without mutant. */
function withPlanOf(result, mutated, index) {
  return { ...result, families: [{ ...result.families[index], state: mutated.families[index].state }] }
}

function judgeSafely(each, safeCompile, soFar) {
  try {
    return judge(each, safeCompile, soFar)
  } catch (error) {
    return { verdict: 'found', by: `throws ${String(error?.message ?? error).split('\n')[0]}` }
  }
}

async function run(mutant) {
  const { name, verdict } = await verdictOn(mutant)
  process.send({ test: verdict, name, found: true })
  process.send({ done: true })
}

async function verdictOn(mutant) {
  let module
  try {
    ;({ module } = await loadSources({ root, from: 'packages/compiler/src', exports: COMPILE, mutant }))
  } catch (error) {
    return { verdict: 'found', name: `cannot be loaded: ${String(error?.message ?? error).split('\n')[0]}` }
  }
  const modes = modesOf(mutant.file)
  let worst = { verdict: 'same', name: '' }
  for (const each of corpus) {
    if (!modes.includes(each.mode)) continue
    await alive()
    const judged = judgeSafely(each, module.safeCompile, worst.verdict)
    if (byRank(judged, worst) >= 0) continue
    worst = { verdict: judged.verdict, name: `${each.name} ${each.mode} ${each.version} ${judged.by ?? ''}`.trim() }
    if (judged.verdict === 'found') break
  }
  return worst
}

async function alive() {
  process.send({ alive: true })
  await new Promise(setImmediate)
}

process.on('disconnect', () => process.exit())
process.on('message', run)
process.send({ ready: true })
