import { spawnSync } from 'node:child_process'
import type { TestContext } from 'vitest'

// Runs the real tools in a network namespace of their own, so that nothing of the machine is read or changed.

export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A private mount of /run holds the lock of the legacy tools. */
const SETUP = 'mount -t tmpfs tmpfs /run'

/** Runs a shell script in a new namespace, which ends with it. */
export function runInNamespace(script: string, input = ''): Ran {
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const words = ['--net', '--mount', ...asRoot, '--', 'sh', '-ec', `${SETUP}; ${script}`]
  const { status, stdout, stderr, error } = spawnSync('unshare', words, { input, encoding: 'utf8' })
  return { status, stdout: stdout ?? '', stderr: error === undefined ? stderr : error.message }
}

/**
 * Skips the test where a network namespace or one of the tools is missing, and says so. With the variable
 * `KUBE_RULES_REQUIRE_TOOLS=1` it fails instead, so that a machine that is meant to have them cannot go blind.
 */
export function requireTools(context: TestContext, tools: readonly string[]): void {
  const reason = tools.map(reasonNotToRun).find((found) => found !== undefined)
  if (reason === undefined) return
  if (process.env.KUBE_RULES_REQUIRE_TOOLS === '1') throw new Error(reason)
  context.skip(reason)
}

const reasons = new Map<string, string | undefined>()

function reasonNotToRun(tool: string): string | undefined {
  if (!reasons.has(tool)) reasons.set(tool, probe(tool))
  return reasons.get(tool)
}

function probe(tool: string): string | undefined {
  const namespace = runInNamespace('true')
  if (namespace.status !== 0) return `no network namespace: ${namespace.stderr.trim()}`
  if (runInNamespace(`command -v ${tool}`).status !== 0) return `${tool} is not installed`
  const tried = runInNamespace(`${tool} ${TRIALS.get(tool) ?? '--noflush'}`, '')
  return tried.status === 0 ? undefined : `${tool} does not work here: ${tried.stderr.trim()}`
}

/** What shows that a tool works; others than these restore an empty text. */
const TRIALS: ReadonlyMap<string, string> = new Map([['ipset', 'list -n']])

export interface IptablesTools {
  readonly restore: string
  readonly save: string
}

export function iptablesTools(family: 'IPv4' | 'IPv6', backend: 'nft' | 'legacy'): IptablesTools {
  const prefix = `${family === 'IPv4' ? 'iptables' : 'ip6tables'}-${backend}`
  return { restore: `${prefix}-restore`, save: `${prefix}-save` }
}

/** The lines of a dump but for those that begin with `#`, which have versions and times. */
export function withoutComments(text: string): string {
  return text.replace(/^#.*\n/gm, '')
}
