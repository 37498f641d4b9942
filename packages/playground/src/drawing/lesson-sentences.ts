import type { PathStep } from '@kube-rules/analyzer/explain'
import type { Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { FormattedPath } from '../engine/results.js'

/** Returns the meaning of a chain or target; undefined if unknown. */
export type WordMeaning = (word: string) => string | undefined

export function describeStart({ source, destination, destinationPort }: Packet, hook: string | undefined): string {
  const to = joinHostPort(destination, destinationPort)
  return hook === 'OUTPUT'
    ? `A process on the node sends a packet to ${to}.`
    : `A packet from ${source} to ${to} arrives at the node.`
}

interface StepFacts {
  /** The packet after the step. */
  readonly next: { readonly destination: string; readonly mark: string }
  /** The share of packets that follow this branch; empty without a random choice. */
  readonly share: string
  readonly path: FormattedPath
  readonly meaningOf: WordMeaning
}

/** Describes a step in one sentence. */
export function describeStep(step: PathStep, facts: StepFacts): string {
  const { share } = facts
  const words = wordsOfStep(step, facts)
  return share === '' ? words : `${share} of these packets take this branch: ${lowerFirst(words)}`
}

function wordsOfStep(step: PathStep, { next, path, meaningOf }: StepFacts): string {
  const { rewrites, jumpsTo, target, text, table } = step
  if (rewrites === 'source')
    return 'The source becomes an address of the node, so that replies return through the node.'
  if (rewrites === 'destination') {
    return path.endpoint === ''
      ? 'The destination becomes a port of kube-proxy on this node.'
      : `The destination becomes ${next.destination}, an endpoint${ofService(step)}.`
  }
  if (/mark set|-j MARK/.test(text)) return wordsOfMark(step, next.mark)
  if (jumpsTo !== '') return `The packet continues in chain ${jumpsTo}${inBrackets(meaningOf(jumpsTo))}.`
  if (table === 'ipvs') return `IPVS finds the virtual server ${target}${ofService(step)}.`
  const [verdict = ''] = target.split(' ')
  const meaning = verdict === '' ? undefined : meaningOf(verdict)
  if (meaning !== undefined) return `${verdict} ${lowerFirst(firstSentence(meaning))}.`
  return `The packet matches ${target === '' ? 'this rule' : `the rule with the action ${target}`}.`
}

function wordsOfMark({ chain, comment }: PathStep, mark: string): string {
  if (mark === '0') return 'The mark is cleared, so that the packet is masqueraded only once.'
  return chain === 'KUBE-MARK-MASQ' || comment === 'masquerade'
    ? `The packet gets the mark ${mark}, so that its source is replaced later.`
    : `The mark of the packet becomes ${mark}.`
}

function ofService({ servicePort }: PathStep): string {
  return servicePort === '' ? '' : ` of ${servicePort}`
}

export function describeEnd(
  { kind, endpoint, masqueraded, weight, outcome }: FormattedPath,
  destination: string,
): string {
  const share = weight === '1' ? '' : `, as ${weight} of these packets do`
  switch (kind) {
    case 'delivered':
      return `The packet reaches ${endpoint}${masqueraded ? ' with the address of the node as its source' : ''}${share}.`
    case 'proxy':
      return 'kube-proxy receives the packet, and copies its content to an endpoint.'
    case 'unmatched':
      return `No rule of a Service matches, so the packet continues to ${destination}.`
    case 'rejected':
      return 'The packet is rejected, and the client gets an error at once.'
    case 'dropped':
      return 'The packet is dropped, and the client waits until its timeout.'
    case 'unknown':
      return `The end ${outcome}.`
  }
}

function inBrackets(meaning: string | undefined): string {
  return meaning === undefined ? '' : ` (${lowerFirst(firstSentence(meaning)).replace(': ', ', ')})`
}

function firstSentence(meaning: string): string {
  return meaning.replaceAll('`', '').split(/\.(?:\s|$)/)[0] ?? ''
}

/** Words such as `IPVS` and `KUBE-FORWARD` keep their letters. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}
