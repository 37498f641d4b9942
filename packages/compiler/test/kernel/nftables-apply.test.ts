import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseNftables } from '../../../analyzer/src/dataplane/nftables/parse/parse.js'
import { applyTransaction } from '../../../analyzer/test/support/apply-transaction.js'
import type { Table } from '../../src/dataplane/nftables/ast.js'
import { canonicalize } from '../../src/dataplane/nftables/canonical.js'
import { printCommands } from '../../src/dataplane/nftables/print/print-commands.js'
import { BEGINNING, transaction } from '../dataplane/nftables/transactions.js'
import { inFreshNamespace } from './sandbox/sandbox.js'
import { useSandbox } from './sandbox/use-sandbox.js'

/** The number of transactions. The default is a few hundred, because thousands take a while. */
const COUNT = Number(process.env.KUBE_RULES_TRANSACTIONS ?? 400)

/** The number of successive transactions in one namespace, and the interval of the checks. */
const HISTORY = 200
const LOOK_EVERY = 10

/** Runs the text between lines `# next` as one transaction each, and prints whether nft accepted it. */
const SCRIPT = `
dir=$(mktemp -d /run/transactions.XXXXXX); cd $dir
awk 'BEGIN { n = 10000 } /^# next$/ { close(n); n++; next } { print > n }'
count=0
for file in 1*; do
  if nft -f $file 2> error; then echo '# yes'; else echo "# no $(head -1 error)"; fi
  count=$((count + 1))
  if [ $((count % ${LOOK_EVERY})) = 1 ]; then nft list table ip t 2> /dev/null || true; fi
done
cd /; rm -r $dir
`

describe('an nft transaction in the kernel', () => {
  const sandboxFor = useSandbox(['nft'])
  const seeds = Array.from({ length: Math.ceil(COUNT / HISTORY) }, (_, index) => index)

  it.for(seeds)('has the same effect as applyTransaction: history %i', async (seed, context) => {
    const sandbox = await sandboxFor(context)
    const generated = fc.sample(transaction, { numRuns: HISTORY - 1, seed: seed + firstSeed() })
    const transactions = [BEGINNING, ...generated]
    const input = transactions.map(printCommands).join('# next\n')
    const { stdout } = await inFreshNamespace(sandbox, SCRIPT, input)
    const answers = stdout.split(/^(?=# (?:yes|no))/m)
    expect(answers.length).toBe(transactions.length)
    let table: Table | undefined
    for (const [index, commands] of transactions.entries()) {
      const [answer = '', ...listed] = (answers[index] as string).split('\n')
      const applied = applyTransaction(table, commands)
      const ours = applied.ok ? '# yes' : `# no (${applied.error.code}: ${applied.error.message})`
      const description = `${index}: ${printCommands(commands)}${ours}\n${answer}`
      expect(applied.ok, description).toBe(answer === '# yes')
      if (applied.ok) table = applied.table
      if (listed.length > 1)
        expect(read(listed.join('\n')), description).toEqual(table === undefined ? undefined : canonicalize(table))
    }
  })

  it('is generated for every kind of rejection', () => {
    const codes = new Map<string, number>()
    let table: Table | undefined
    for (const commands of [BEGINNING, ...fc.sample(transaction, { numRuns: 3000, seed: firstSeed() })]) {
      const applied = applyTransaction(table, commands)
      if (applied.ok) table = applied.table
      const code = applied.ok ? 'accepted' : applied.error.code
      codes.set(code, (codes.get(code) ?? 0) + 1)
    }
    expect([...codes.keys()].sort()).toEqual([
      'absent',
      'accepted',
      'busy',
      'changed',
      'exists',
      'loop',
      'typeMismatch',
    ])
    expect(codes.get('accepted')).toBeGreaterThan(700)
  })
})

/** Returns a constant seed, unless the environment sets one. */
function firstSeed(): number {
  return Number(process.env.FAST_CHECK_SEED) || 1
}

function read(listing: string): Table | undefined {
  const parsed = parseNftables(listing)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const [table] = parsed.value
  return table === undefined ? undefined : canonicalize(table)
}
