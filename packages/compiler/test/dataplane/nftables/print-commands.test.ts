import { describe, expect, it } from 'vitest'
import type { NftCommand } from '../../../src/dataplane/nftables/command.js'
import { printCommands } from '../../../src/dataplane/nftables/print/print-commands.js'

const deletion = (index: number): NftCommand => ({
  ...{ family: 'ip', table: 'kube-proxy', verb: 'delete', object: 'chain' },
  name: `chain-${index}`,
})

describe('printCommands', () => {
  it.each([0, 1, 499, 500, 501, 1_000, 1_203])('prints each of %i commands on its own line, in order', (count) => {
    const numbers = Array.from({ length: count }, (_, index) => index)
    const lines = numbers.map((index) => `delete chain ip kube-proxy chain-${index}\n`)
    expect(printCommands(numbers.map(deletion))).toBe(lines.join(''))
  })
})
