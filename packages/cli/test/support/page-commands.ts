import { readdirSync, readFileSync } from 'node:fs'

export const ROOT = new URL('../../../../', import.meta.url)

/** One command of a shell block or an indented block of a page, without its comment. */
export interface PageCommand {
  readonly page: string
  readonly text: string
  /** The lines of a here document. */
  readonly stdin?: string
  /** The command is in a block with the language `sh`. */
  readonly isFenced: boolean
}

const FOLDERS = ['docs', 'examples', 'packages', 'fixtures', 'bench', 'scripts']
/** Installed and generated files. The examples on the pages of the API are programs, which other tests run. */
const OMITTED = /^(?:node_modules|dist|build|\.vitepress|api)$/

/** All pages for readers: docs, the README files of folders, and the pages of the repository. */
export const PAGES: readonly string[] = [...pagesIn(''), ...FOLDERS.flatMap((folder) => pagesBelow(folder))].sort()

function pagesIn(folder: string): readonly string[] {
  const names = readdirSync(new URL(folder === '' ? '.' : folder, ROOT)).filter((name) => name.endsWith('.md'))
  return names.map((name) => (folder === '' ? name : `${folder}/${name}`))
}

function pagesBelow(folder: string): readonly string[] {
  const entries = readdirSync(new URL(folder, ROOT), { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory() && !OMITTED.test(entry.name))
  return [...pagesIn(folder), ...folders.flatMap(({ name }) => pagesBelow(`${folder}/${name}`))]
}

export function readPage(page: string): string {
  return readFileSync(new URL(page, ROOT), 'utf8')
}

/** Returns the commands in the shell blocks and the indented blocks of a page. */
export function commandsOf(page: string): readonly PageCommand[] {
  const text = readPage(page)
  const fenced = Array.from(
    text.matchAll(/^( *)```(sh|bash|shell|console)\n(.*?)^\1```$/gms),
    ([, , , block = '']) => block,
  )
  const indented = text.replace(/^ *```.*?^ *```$/gms, '').match(/(?:^ {4,}\S.*\n)+/gm) ?? []
  return [
    ...fenced.map((block) => ({ block, isFenced: true })),
    ...indented.map((block) => ({ block, isFenced: false })),
  ].flatMap(({ block, isFenced }) => splitCommands(block).map((command) => ({ page, isFenced, ...command })))
}

/** A usage has the signs of a shell with other meanings. */
const USAGE = /^kube-rules .*\[options\]$/

/** Splits a script into its commands. A usage is one command, and so is a script of a file, which begins with `#!`. */
export function splitCommands(script: string): readonly { readonly text: string; readonly stdin?: string }[] {
  if (script.startsWith('#!') || USAGE.test(script.trim())) return [{ text: script }]
  const stdins: string[] = []
  const plain = script.replace(/\\\n/g, ' ').replace(/ <<'(\w+)'\n(.*?)\n\1$/gms, (_match, _word, lines) => {
    stdins.push(`${lines}\n`)
    return ' HERE_DOCUMENT'
  })
  // Quoted words and substitutions are kept; comments and separators are not.
  const tokens = plain.match(/'[^']*'|"(?:\\.|[^"\\])*"|[$<]\([^()]*\)|(?<=^|\s)#[^\n]*|\|\||&&| \| |[;\n]|./gms) ?? []
  const commands = tokens
    .map((token) => (/^(?:#.*|\|\||&&| \| |[;\n])$/s.test(token) ? '\n' : token.replaceAll('\n', '\\n')))
    .join('')
    .split('\n')
    .map((command) => command.trim())
    .filter((command) => command !== '')
  return commands.map((text) =>
    text.includes('HERE_DOCUMENT')
      ? { text: text.replace(' HERE_DOCUMENT', ''), stdin: stdins.shift() ?? '' }
      : { text },
  )
}
