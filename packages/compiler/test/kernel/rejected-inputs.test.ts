import { IP_FAMILIES } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { parseDump } from '../../../analyzer/src/dump/parse-dump.js'
import { print } from '../../src/print/print.js'
import { REJECTED_BY_IPSET, REJECTED_BY_IPTABLES, REJECTED_BY_NFT, type RejectedInput } from './rejected-inputs.js'
import type { Capability } from './sandbox/capabilities.js'
import { inFreshNamespace } from './sandbox/sandbox.js'
import { useSandbox } from './sandbox/use-sandbox.js'

// The parser may accept an input that the tools reject. In this case the printed text must be the same invalid input,
// so that the tool still rejects it: parsing and printing must not turn an invalid rule into a valid one.

const TOOLS: readonly (readonly [tool: string, command: string, needs: Capability, rows: readonly RejectedInput[]])[] =
  [
    ['iptables-nft', 'iptables-nft-restore --noflush', 'iptables-nft', REJECTED_BY_IPTABLES],
    ['iptables-legacy', 'iptables-legacy-restore --noflush', 'iptables-legacy', REJECTED_BY_IPTABLES],
    ['ipset', 'ipset restore', 'ipset', REJECTED_BY_IPSET],
    ['nft', 'nft -f -', 'nft', REJECTED_BY_NFT],
  ]

describe.each(TOOLS)('the tool %s', (_, command, needs, rows) => {
  const sandboxFor = useSandbox([needs])

  it.for(rows)('rejects the input $input', async ({ text }, context) => {
    const { status, stderr } = await inFreshNamespace(await sandboxFor(context), command, text)
    expect({ status, text }).not.toEqual({ status: 0, text })
    expect(stderr).not.toBe('')
  })

  it.for(rows)('rejects the parsed and reprinted input $input if parseDump accepts it', async ({ text }, context) => {
    const sandbox = await sandboxFor(context)
    const parsed = parseDump(text)
    if (!parsed.ok) return expect(parsed.problems).not.toEqual([])
    const texts = IP_FAMILIES.map((family) => print(parsed.value[family], { format: 'restore' }))
    const printed = texts.filter((each) => each !== '')
    expect(printed).not.toEqual([])
    for (const each of printed) {
      const { status } = await inFreshNamespace(sandbox, command, each)
      expect({ status, each }).not.toEqual({ status: 0, each })
    }
  })
})
