import { readdirSync, readFileSync } from 'node:fs'

/** The folders of `fixtures` with cases. Only those of the first one are examples of the playground. */
const FOLDERS = ['troubleshooting', 'reports']

/** Reads all cases below `fixtures`, in the order of the pages. */
export function readCases(fixtures) {
  return FOLDERS.flatMap((folder) =>
    readdirSync(`${fixtures}/${folder}`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${folder}/${name}`)
      .sort()
      .map((path) => readCase(fixtures, path)),
  )
}

function readCase(fixtures, path) {
  const name = path.replace(/^.*\//, '')
  const files = Object.fromEntries(
    readdirSync(`${fixtures}/${path}`).map((file) => [file, readFileSync(`${fixtures}/${path}/${file}`, 'utf8')]),
  )
  const { 'README.md': text, 'answer.txt': answer, question } = files
  return {
    path,
    /** The name of its page. */
    page: name.replace(/^\d+-/, ''),
    /** The name of its example in the playground; undefined if it is not among the examples. */
    example: path.startsWith('troubleshooting/') ? name : undefined,
    title: find(text, /^# (.*)$/m),
    symptoms: find(text, /^Symptoms: (.*)$/m).split(', '),
    thread: /^Threads?: .*$/m.exec(text)?.[0],
    symptom: find(text, /^\*\*Symptom\.\*\* ([\s\S]*?)\n\n/m),
    cause: find(text, /^\*\*Cause\.\*\* ([\s\S]*)$/m).trim(),
    question,
    answer,
    files,
  }
}

function find(text, pattern) {
  const [, found] = pattern.exec(text) ?? []
  if (found === undefined) throw new Error(`${text.split('\n')[0]}: ${pattern} does not match`)
  return found
}
