import type { PastedCommand } from '../../dataplane/netfilter/pasted.js'

/** A tool as a word of a command, with its path and backend suffix. */
const TOOL =
  /(?:^|[\s;&|("'`=/])((?:ip6?tables(?:-legacy|-nft)?(?:-save|-restore)?|xtables-(?:nft|legacy)-multi|ipvsadm(?:-save)?|ipset|nft|ip(?=\s+(?:-\S+\s+){0,5}a(?:d|ddr?|ddress)?\b)))(?=$|[\s"'`|;)])/gi

/** A shell prompt: `root@node:~#`, `[root@node ~]$`, `$`, `%`, `~ #`, `bash-5.1#`, `sh>`. */
const PROMPT =
  /^(?:\([^()]{1,30}\)\s*)?(?:\[[^\][]{1,80}\]\s*[$#%>]+|[\w.@:~/\\+-]{0,80}(?:\s[\w.@:~/\\+()-]{1,40}){0,2}\s?[$#%\u276f\u279c>]+|Every [\d.]+s:(?=\s))\s*(?:~\s+)?/u

/** The first words of tool output. Such a line is not a command, although it may contain the name of a tool. */
const PRINTED =
  /^(?:-[ANPIXDaE]\s|\*[a-z]+\s*$|:[^\s]+\s+(?:-|ACCEPT|DROP)\b|\[\d+:\d+\]\s*-A|Chain\s|#\s*(?:Generated|Completed|Warning)|table\s|Name:|(?:create|add)\s)/

/**
 * Parses a command, with or without a prompt; undefined for any other line. Prose about a command
 * (`I ran iptables -L and got`) does not count.
 */
export function parsePastedCommand(source: string): PastedCommand | undefined {
  if (PRINTED.test(source)) return undefined
  const prompt = promptOf(source)
  const line = source.slice(prompt.length)
  for (const { 0: matched, 1: tool = '', index } of line.matchAll(TOOL)) {
    const start = index + matched.length - tool.length
    if (prompt === '' && !isCommandSoFar(line.slice(0, start))) return undefined
    const command = parseCommand(tool.toLowerCase(), line.slice(start + tool.length))
    if (isBareName(command)) return undefined
    if (prompt === '' && !mayBeCommand(command)) return undefined
    return command
  }
  return undefined
}

/** Reports whether a line is a prompt that is followed by an unknown command, or by no command. */
export function isUnknownCommand(source: string): boolean {
  if (PRINTED.test(source)) return false
  const prompt = promptOf(source)
  if (prompt !== '' && (/[@:~\][]/.test(prompt) || /^(?:ba|z|da|a)?sh-[\d.]+[$#]/.test(prompt))) return true
  return (
    prompt !== '' &&
    /^[$#%>\u276f\u279c]\s*$/u.test(prompt.trim()) &&
    source !== '#' &&
    /^[a-z./]/.test(source.slice(prompt.length))
  )
}

/**
 * The start of a line that is certainly a shell prompt with a command, because no tool prints it: `$ date`,
 * `root@node-1:~# date`, `~ # date`, `sh-5.1# date`.
 */
const SURE_PROMPT =
  /^(?:\[?[\w.-]+@[\w.-]+[:\s][^"]{0,80}?[$#]|[$\u276f\u279c]|(?:ba|z|da|a)?sh-[\d.]+[$#]|[~/][\w./-]* ?[$#])\s+[a-z./]/u

/** Reports whether a line is a command after an unambiguous prompt. */
export function hasPrompt(source: string): boolean {
  return SURE_PROMPT.test(source)
}

function promptOf(source: string): string {
  const [prompt = ''] = PROMPT.exec(source) ?? []
  return prompt
}

/**
 * Reports whether a string may precede the name of a tool in a command without a prompt: `sudo`, `kubectl exec … --`,
 * `ssh node`, a path.
 */
function isCommandSoFar(before: string): boolean {
  const words = withoutTrailing(before.trim(), '"\'`(').trim()
  if (words === '' || /^\S*\/$/.test(words)) return true
  return /^(?:sudo|kubectl|oc|docker|crictl|nerdctl|ssh|minikube|lxc|watch|nsenter|time|chroot|for|vagrant|multipass|gcloud|talosctl|podman|k3s|microk8s|cat|echo|diff|LC_ALL=\S*)\b/.test(
    words,
  )
}

/**
 * Reports whether a command only mentions a tool that prints nothing without arguments, like the headings that this
 * library prints: `# ipset`.
 */
function isBareName({ tool, args }: PastedCommand): boolean {
  return args.length === 0 && tool !== 'ipvsadm' && !tool.endsWith('-save')
}

/** Reports whether a line without prompt is more likely a command than a sentence. */
function mayBeCommand({ tool, args, filter }: PastedCommand): boolean {
  if (args.length === 0) return tool.endsWith('-save') || filter !== undefined
  const [first = ''] = args
  if (first.startsWith('-')) return true
  return /^(?:list|save|show|-o|addr?|address|a)$/.test(first) || tool.endsWith('-save')
}

function parseCommand(name: string, rest: string): PastedCommand {
  const { command, programs } = partsOf(rest)
  const tool = name.replace(/-(?:legacy|nft)(?=-|$)/, '')
  const args = command
    .split(/\s+/)
    .map((word) => withoutTrailing(word.replace(/^["'`]+/, ''), '"\'`'))
    .filter((word) => word !== '')
  const filter = filterOf(programs) ?? (showsEnd(tool, args) ? undefined : filterOfPager(programs))
  const keepsHeadings = programs.every(({ words }) => /^(?:\s-i)?\s["']?(?:KUBE-?|Chain)["']?\s*$/i.test(words))
  return { tool, args, ...(filter && { filter }), ...(filter === 'search' && keepsHeadings && { keepsHeadings }) }
}

/** Returns the line that a modifying command adds: `-A KUBE-SERVICES …` for `iptables -t nat -A …`. */
export function toAppendLine({ tool, args }: PastedCommand, source: string): string | undefined {
  const word = args.find((each) => CHANGES.test(each))
  if (word === undefined || !/^(?:ip6?tables|ipvsadm|ipset)$/.test(tool)) return undefined
  const line = new RegExp(`\\s${word}\\s.*`, 's').exec(source)?.[0].trim()
  const end = line?.search(/\s\|\|?\s/) ?? -1
  return end < 0 ? line : line?.slice(0, end).trimEnd()
}

function withoutTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

const CHANGES = /^(?:-[AIa]|create|add)$/

/** Options that make grep print other lines, or not every line with a word. */
const GREP_OPTIONS = /\s-\w*[vmoABCcLlq\d]|--(?:invert|max|only|after|before|context|count|files)/

/** A program after a pipe, with the rest of its command. */
interface Program {
  readonly name: string
  readonly words: string
}

/** Splits a command at the first `|`, `;` or `>`, and returns the programs after a pipe. */
function partsOf(rest: string): { readonly command: string; readonly programs: readonly Program[] } {
  const end = rest.search(/[|;>&]|\s#\s|\s--?\s*$/)
  if (end < 0) return { command: rest, programs: [] }
  const programs = [...rest.slice(end).matchAll(/\|\s*(?:sudo\s+)?(\w+)([^|;]*)/g)]
  return {
    command: rest.slice(0, end),
    programs: programs.map(([, name = '', words = '']) => ({ name, words })),
  }
}

/** Returns how the programs after a pipe shorten the output. Undefined if they only show it. */
function filterOf(programs: readonly Program[]): PastedCommand['filter'] {
  const leavesOut = programs.filter(({ name }) => !/^(?:less|more|cat|tee|nl|column)$/.test(name))
  if (leavesOut.length === 0) return undefined
  const isSearch = leavesOut.every(
    ({ name, words }) => /^(?:[efz]?grep|rg|ag)$/.test(name) && !GREP_OPTIONS.test(words),
  )
  return isSearch ? 'search' : 'cut'
}

/** A pager may show only the first page. */
function filterOfPager(programs: readonly Program[]): PastedCommand['filter'] {
  return programs.some(({ name }) => /^(?:less|more)$/.test(name)) ? 'cut' : undefined
}

/** Reports whether the output of a command shows its end, or the end of each of its parts. */
function showsEnd(tool: string, args: readonly string[]): boolean {
  if (tool === 'nft' || /tables-save$/.test(tool)) return true
  return /tables$/.test(tool) && args.some((word) => /^-\w*L|^--list$/.test(word))
}
