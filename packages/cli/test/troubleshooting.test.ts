import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DIAGNOSIS_CODES, type Diagnosis, printDiagnosis } from '@kube-rules/analyzer/explain'
import { describe, expect, it } from 'vitest'
import { isInRules, namesObject, splitWords } from './support/case.js'
import { type Outcome, run } from './support/run.js'

// Each folder of fixtures/troubleshooting and fixtures/reports is a case: README.md describes it, `question` has the command
// lines, answer.txt the expected terminal output. A new case needs no change of this file.

const CASES = fileURLToPath(new URL('../../../fixtures/', import.meta.url))

const PARTS = ['README.md', 'question', 'answer.txt']

const cases = ['troubleshooting', 'reports'].flatMap((kind) =>
  readdirSync(`${CASES}${kind}`)
    .sort()
    .map((name) => `${kind}/${name}`),
)

describe.each(cases)('fixtures/%s', (folder) => {
  /** In a report, the rules of the node can be right. */
  const isReport = folder.startsWith('reports/')
  const names = readdirSync(`${CASES}${folder}`)
  const inputs = names.filter((name) => !PARTS.includes(name))
  const files = Object.fromEntries(inputs.map((name) => [name, readFileSync(`${CASES}${folder}/${name}`, 'utf8')]))
  const questions = readFileSync(`${CASES}${folder}/question`, 'utf8').trim().split('\n')

  // Only these commands print diagnoses.
  const asked = questions.filter((question) => /^kube-rules (?:explain|verify) /.test(question))

  it('contains a symptom, a cause, links to its discussion threads, and questions', () => {
    expect(asked).not.toEqual([])
    const text = readFileSync(`${CASES}${folder}/README.md`, 'utf8')
    expect(text).toMatch(
      /^# .+\n\n(?:Threads?: [\w.-]+\/[\w.-]+ \d+.*\n)?Symptoms: [a-z, ]+\n\n\*\*Symptom\.\*\* [\s\S]+\n\n\*\*Cause\.\*\* /,
    )
    if (!isReport) expect(text).toContain('\nThread')
  })

  it('contains the output of its questions in answer.txt', async () => {
    const seen: string[] = []
    for (const question of questions) seen.push(transcript(question, await ask(question)))
    await expect(seen.join('\n')).toMatchFileSnapshot(`${CASES}${folder}/answer.txt`)
  })

  it.each(asked)('prints all of its diagnoses, and prints the first diagnosis first: %s', async (question) => {
    const diagnoses = await diagnosesTo(question)
    const { stdout } = await ask(question)
    if (!isReport) expect(diagnoses).not.toEqual([])
    expect(stdout.startsWith(diagnoses.slice(0, 1).map(printDiagnosis).join(''))).toBe(true)
    for (const diagnosis of diagnoses) {
      expect(stdout).toContain(printDiagnosis(diagnosis))
      expect(DIAGNOSIS_CODES).toContain(diagnosis.code)
    }
  })

  it.each(asked)('has an outcome for each step that changes rules or objects: %s', async (question) => {
    for (const { code, steps } of await diagnosesTo(question)) {
      expect(steps, code).not.toEqual([])
      for (const { text, change, outcome } of steps) {
        expect({ text, isTried: outcome !== undefined }).toEqual({ text, isTried: change !== undefined })
      }
    }
  })

  it.each(asked)('has diagnoses that reference existing objects and rules: %s', async (question) => {
    for (const diagnosis of await diagnosesTo(question)) {
      const { cause, summary, object, rule } = diagnosis
      expect(`${summary}\n${cause}`).toContain(object.split(' ').at(-1))
      expect(printDiagnosis(diagnosis)).toMatch(/\nrule: [^\n]+\n$/)
      expect(printDiagnosis(diagnosis).endsWith(`: ${rule}\n`)).toBe(true)
      expect({ object, isThere: namesObject(object, Object.values(files)) }).toEqual({ object, isThere: true })
      expect({ rule, isThere: isInRules(rule, await rulesOf(question)) }).toEqual({ rule, isThere: true })
    }
  })

  const outcomes = new Map<string, Promise<Outcome>>()

  /** Runs a command line once: several tests read its output. */
  function runOnce(args: readonly string[]): Promise<Outcome> {
    const key = JSON.stringify(args)
    const outcome = outcomes.get(key) ?? run(args, { files })
    outcomes.set(key, outcome)
    return outcome
  }

  function ask(question: string, ...more: readonly string[]): Promise<Outcome> {
    const [command, ...args] = splitWords(question)
    expect(command).toBe('kube-rules')
    return runOnce([...args, ...more])
  }

  async function diagnosesTo(question: string): Promise<readonly Diagnosis[]> {
    const { explanations = [], diagnoses = [] } = JSON.parse((await ask(question, '-o', 'json')).stdout)
    return [...diagnoses, ...explanations.flatMap((each: { diagnoses: readonly Diagnosis[] }) => each.diagnoses)]
  }

  /** Returns the dump and the expected rules of kube-proxy. */
  async function rulesOf(question: string): Promise<string> {
    const dumps = inputs.filter((name) => !/\.(?:ya?ml|json)$/.test(name)).map((name) => files[name])
    const printed = await Promise.all(['restore', 'save'].map((format) => printRules(question, format)))
    return [...dumps, ...printed].join('\n')
  }

  async function printRules(question: string, format: string): Promise<string> {
    const words = splitWords(question)
    const shared = ['-f', '--filename', '--node', '--mode', '--kubernetes-version', '--config', '--host']
    const args = words.flatMap((word, index) => (shared.includes(word) ? [word, words[index + 1] ?? ''] : []))
    return (await runOnce(['print', ...args, '--format', format, '--family', 'both'])).stdout
  }
})

/** Formats the terminal output of a command. */
function transcript(question: string, { stdout, stderr, exitCode }: Outcome): string {
  return `$ ${question}\n${stderr}${stdout}${exitCode === 0 ? '' : `(exit code ${exitCode})\n`}`
}
