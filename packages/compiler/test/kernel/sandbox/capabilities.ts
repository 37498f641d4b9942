import type { TestContext } from 'vitest'
import { inFreshNamespace, openSandbox, type Ran, type Sandbox } from './sandbox.js'

/** A requirement of a test. Each of the iptables capabilities covers both families. */
export type Capability =
  | 'iptables-nft'
  | 'iptables-legacy'
  | 'ipset'
  | 'network'
  | 'conntrack'
  | 'nft'
  | 'nfacct'
  | 'virtual-machine'

/** Builds one rule of each kind that our text uses, to detect missing kernel features before a test fails. */
function trialRules(address: string): string {
  return [
    '*filter',
    ':TRIAL - [0:0]',
    '-A TRIAL -m conntrack --ctstate NEW -m addrtype --dst-type LOCAL -m mark --mark 0x4000/0x4000 -j REJECT',
    'COMMIT',
    '*nat',
    ':TRIAL - [0:0]',
    ':MARKED - [0:0]',
    '-A TRIAL -m comment --comment "a b" -m statistic --mode random --probability 0.5 -j RETURN',
    '-A TRIAL -m recent --name TRIAL --rcheck --seconds 5 --reap -j RETURN',
    `-A TRIAL -p tcp -j DNAT --to-destination ${address}`,
    '-A TRIAL -p tcp -m state --state NEW -m physdev ! --physdev-is-in -j REDIRECT --to-ports 40001',
    '-A MARKED -j MARK --xor-mark 0x4000',
    '-A MARKED -j MASQUERADE --random-fully',
    'COMMIT\n',
  ].join('\n')
}

const TRIAL_SETS = [
  'create A hash:ip,port comment',
  'create B hash:ip,port,net',
  'create C hash:ip,port,ip family inet6',
  'create D bitmap:port range 0-65535\n',
].join('\n')

const TRIAL_TABLE = [
  'add table ip trial { comment "a b" ; }',
  'add chain ip trial nat { type nat hook prerouting priority -100 ; }',
  'add set ip trial affinity { type ipv4_addr ; flags dynamic,timeout ; timeout 60s ; }',
  'add rule ip trial nat fib saddr type local ct state new mark set mark or 0x00004000',
  'add rule ip trial nat update @affinity { ip saddr }',
  'add rule ip trial nat meta l4proto tcp dnat ip addr . port to numgen random mod 1 map { 0 : 10.0.0.1 . 80 }\n',
].join('\n')

/** The check of each capability. */
export const TRIALS: Readonly<Record<Capability, (sandbox: Sandbox) => Promise<readonly Ran[]>>> = {
  'iptables-nft': (sandbox) => tryIptables(sandbox, 'nft'),
  'iptables-legacy': (sandbox) => tryIptables(sandbox, 'legacy'),
  ipset: async (sandbox) => [await inFreshNamespace(sandbox, 'ipset restore; ipset save', TRIAL_SETS)],
  network: async (sandbox) => [
    await inFreshNamespace(
      sandbox,
      'ip link add v0 type veth peer name v1; ip -6 address add fd00::1/64 dev v0; ip netns list',
    ),
  ],
  conntrack: async (sandbox) => [await inFreshNamespace(sandbox, 'conntrack -C')],
  nfacct: async (sandbox) => [await inFreshNamespace(sandbox, 'nfacct add trial && nfacct get trial')],
  nft: async (sandbox) => [await inFreshNamespace(sandbox, 'nft -f - && nft -j list ruleset', TRIAL_TABLE)],
  // Requires opt-in, because it takes a minute and downloads packages.
  'virtual-machine': async (sandbox) => [
    await inFreshNamespace(sandbox, 'test "$KUBE_RULES_VM" = 1 || { echo KUBE_RULES_VM=1 is not set >&2; exit 1; }'),
    await inFreshNamespace(
      sandbox,
      'for tool in qemu-system-x86_64 ipvsadm ipset conntrack apt-get dpkg; do which $tool; done',
    ),
  ],
}

async function tryIptables(sandbox: Sandbox, backend: string): Promise<readonly Ran[]> {
  return [
    await inFreshNamespace(sandbox, `iptables-${backend}-restore --noflush`, trialRules('10.0.0.1:80')),
    await inFreshNamespace(sandbox, `ip6tables-${backend}-restore --noflush`, trialRules('[fd00::1]:80')),
  ]
}

const reasons = new Map<Capability, Promise<string | undefined>>()

/** Returns the reason for an unusable capability; undefined if it works. */
function reasonAgainst(capability: Capability): Promise<string | undefined> {
  const known = reasons.get(capability)
  if (known !== undefined) return known
  const reason = probe(capability)
  reasons.set(capability, reason)
  return reason
}

async function probe(capability: Capability): Promise<string | undefined> {
  const sandbox = openSandbox()
  const empty = await sandbox.run(['true'])
  if (empty.status !== 0) return `no network namespace: ${empty.stderr}`
  const tried = await TRIALS[capability](sandbox)
  await sandbox.close()
  const failed = tried.find(({ status }) => status !== 0)
  return failed === undefined ? undefined : `${capability} does not work here: ${failed.stderr.trim()}`
}

/** Capabilities that must not be missing. */
export const REQUIRED: readonly string[] = (process.env.KUBE_RULES_E2E_REQUIRE ?? '').split(',').filter(Boolean)

/**
 * Skips the test if a capability is missing, with the reason. If the test needs a capability that the variable
 * `KUBE_RULES_E2E_REQUIRE` names, such as `iptables-nft,ipset`, the test fails instead. This ensures that a dedicated
 * machine cannot skip tests unnoticed.
 */
export async function requireCapabilities(context: TestContext, needs: readonly Capability[]): Promise<void> {
  const found = await Promise.all(needs.map(reasonAgainst))
  const reason = found.find((each) => each !== undefined)
  if (reason === undefined) return
  if (needs.some((need) => REQUIRED.includes(need))) throw new Error(reason)
  context.skip(reason)
}
