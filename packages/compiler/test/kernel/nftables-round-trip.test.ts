import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseNftables } from '../../../analyzer/src/dataplane/nftables/parse/parse.js'
import { parseNftablesJson } from '../../../analyzer/src/dataplane/nftables/parse/parse-json.js'
import type { Table } from '../../src/dataplane/nftables/ast.js'
import { canonicalize } from '../../src/dataplane/nftables/canonical.js'
import { toListedForm } from '../../src/dataplane/nftables/listed-form.js'
import { printTable } from '../../src/dataplane/nftables/print/print-commands.js'
import { printListings } from '../../src/dataplane/nftables/print/print-listing.js'
import { print } from '../../src/print/print.js'
import { GOLDENS } from '../dataplane/nftables/goldens.js'
import { kubeProxyTable } from '../dataplane/nftables/kube-proxy-table.js'
import { tablesOf } from '../dataplane/nftables/tables.js'
import { nftablesGoldens, nftablesSamples } from './real-inputs.js'
import { inFreshNamespace, type Sandbox, succeeded } from './sandbox/sandbox.js'
import { useSandbox } from './sandbox/use-sandbox.js'

const SCRIPT = 'nft -f -; nft list ruleset; echo "# json"; nft -j list ruleset'

const generated = fc.sample(kubeProxyTable, { numRuns: 60, seed: 1 }).map((table, index) => ({ index, table }))

const compiled = nftablesSamples(32).flatMap((result, index) =>
  result.families.map(({ family, state }) => ({
    name: `${index}, ${result.kubernetesVersion}, ${family}`,
    text: print(state),
  })),
)

describe('the kernel listing of an nftables table', () => {
  const sandboxFor = useSandbox(['nft'])

  it.for(GOLDENS)('equals the printed listing for $name', async ({ text }, context) => {
    await checkLoaded(await sandboxFor(context), text)
  })

  it.for(nftablesGoldens())('equals the printed listing for fixtures/$name', async ({ restore }, context) => {
    await checkLoaded(await sandboxFor(context), restore)
  })

  it.for(compiled)('equals the printed listing for compiled cluster $name', async ({ text }, context) => {
    await checkLoaded(await sandboxFor(context), text)
  })

  it.for(generated)('equals the printed listing for generated table $index', async ({ table }, context) => {
    await checkLoaded(await sandboxFor(context), printTable(table))
  })
})

async function checkLoaded(sandbox: Sandbox, commands: string): Promise<void> {
  const expected = tablesOf(commands)
  const version = await inFreshNamespace(sandbox, 'nft --version', '')
  const isOld = version.stdout.includes('v1.0.')
  const ran = await inFreshNamespace(sandbox, SCRIPT, commands)
  succeeded(ran)
  const [listing = '', json = ''] = ran.stdout.split('# json\n')
  const read = parseNftables(listing)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  expect(read.value.map(canonicalize)).toEqual(expected.map(canonicalize))
  expect(printListings(read.value, { version: isOld ? '1.0' : '1.1' })).toBe(listing)
  if (isOld) {
    const listed = expected.map((table) => toListedForm(table, '1.0'))
    expect(printListings(listed, { version: '1.0' })).toBe(listing)
  }
  const readJson = parseNftablesJson(json)
  if (!readJson.ok) throw new Error(JSON.stringify(readJson.problems))
  expect(readJson.value.map(asToldInJson)).toEqual(expected.map(asToldInJson))
}

/** Removes everything that the JSON of nft 1.0.6 omits: comments of tables and chains, and the dynamic flag of sets. */
function asToldInJson(table: Table): Table {
  const { comment: _, ...rest } = canonicalize(table)
  return {
    ...rest,
    chains: rest.chains.map(({ comment: _, ...chain }) => chain),
    sets: rest.sets.map(({ size: _, flags, ...set }) => {
      const listedFlags = (flags ?? []).filter((flag) => flag !== 'dynamic' && flag !== 'timeout')
      return listedFlags.length > 0 ? { ...set, flags: listedFlags } : set
    }),
  }
}
