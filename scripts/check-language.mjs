// Checks the language of documentation, comments, messages and test titles against a budget that may only fall
// (language/budget.json), and the subjects of commits. Exit code 1 if a budget is exceeded or a subject is wrong.
//
//   node scripts/check-language.mjs [--update | --list SURFACE.NAME]
//
// --update lowers the budgets to the measured values. --list prints every finding of one budget, for example
// `--list comments.speech`.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { checkBudget, lowerBudget } from './language/budget.mjs'
import { checkSubjects, readCommits } from './language/commits.mjs'
import { measureSurfaces } from './language/surfaces.mjs'

const repository = fileURLToPath(new URL('..', import.meta.url))
const budgetFile = new URL('language/budget.json', import.meta.url)

const { values } = parseArgs({ options: { update: { type: 'boolean', default: false }, list: { type: 'string' } } })
const surfaces = measureSurfaces(repository)
if (values.list === undefined) check()
else list(values.list)

function check() {
  const measured = valuesOf(surfaces)
  if (values.update) writeBudget(lowerBudget(measured, readBudget()))
  const { exceeded, reducible } = checkBudget(measured, readBudget())
  const subjects = checkSubjects(readCommits(repository))

  for (const { surface, name, value, budget } of reducible) {
    console.log(`${surface}.${name}: ${value}, budget ${budget}; lower it by ${round(budget - value)} with --update`)
  }
  for (const { surface, name, value, budget } of exceeded) {
    const entry = `${surface}.${name}`
    console.error(`${entry}: ${value} (expected at most ${budget}); see check-language.mjs --list ${entry}`)
  }
  for (const message of subjects) console.error(message)

  const problems = exceeded.length + subjects.length
  console.log(problems === 0 ? 'language: within budget' : `language: ${problems} problems`)
  process.exitCode = problems === 0 ? 0 : 1
}

function list(entry) {
  const [surface, name] = entry.split('.')
  const measure = surfaces[surface]?.[name]
  if (measure === undefined) {
    const entries = Object.entries(surfaces).flatMap(([key, names]) =>
      Object.keys(names).map((each) => `${key}.${each}`),
    )
    console.error(`--list is ${entry} (expected one of ${entries.join(', ')})`)
    process.exitCode = 2
    return
  }
  for (const { path, line, message } of measure.findings) console.log(`${path}:${line}: ${message}`)
}

function valuesOf(measures) {
  return Object.fromEntries(
    Object.entries(measures).map(([surface, names]) => [
      surface,
      Object.fromEntries(Object.entries(names).map(([name, { value }]) => [name, value])),
    ]),
  )
}

function readBudget() {
  return JSON.parse(readFileSync(budgetFile, 'utf8'))
}

function writeBudget(budgets) {
  writeFileSync(budgetFile, `${JSON.stringify(budgets, undefined, 2)}\n`)
}

function round(number) {
  return Math.round(10 * number) / 10
}
