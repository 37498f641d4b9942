import type { PastedBlock, PastedRule } from '../../../../src/dataplane/iptables/pasted/pasted-block.js'
import type { PastedLine } from '../../../../src/dataplane/netfilter/pasted.js'

export function line(source: string, fields: Partial<PastedLine> = {}): PastedLine {
  return { kind: 'line', source, text: 0, line: 1, column: 1, written: source, ...fields }
}

/** Builds a rule from `CHAIN WORDS`. */
export function found(text: string, fields: Partial<PastedRule> = {}): PastedRule {
  const [chain = '', ...words] = text.split(' ')
  return { chain, words, at: line(`-A ${text}`), afterGap: false, ...fields }
}

/** Builds a complete `*nat` block with overrides. */
export function block(fields: Partial<PastedBlock> = {}): PastedBlock {
  return {
    kind: 'save',
    at: line('*nat'),
    command: undefined,
    table: 'nat',
    family: 'IPv4',
    chains: [],
    declared: new Map(),
    rules: [],
    incompleteChains: new Set(),
    remaining: new Set(),
    texts: new Set(),
    hasGap: false,
    isInterrupted: false,
    isTorn: false,
    isClosed: true,
    isPartial: false,
    current: '',
    gapBefore: false,
    hasHeading: false,
    isOneChain: false,
    ...fields,
  }
}
