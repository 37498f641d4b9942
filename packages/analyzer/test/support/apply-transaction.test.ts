import { describe, expect, it } from 'vitest'
import type { Table } from '../../../compiler/src/dataplane/nftables/ast.js'
import { printTable } from '../../../compiler/src/dataplane/nftables/print/print-commands.js'
import { printListing } from '../../../compiler/src/dataplane/nftables/print/print-listing.js'
import { tableOf, tablesOf } from '../../../compiler/test/dataplane/nftables/tables.js'
import { BEGINNING, commandsOf } from '../../../compiler/test/dataplane/nftables/transactions.js'
import { applyTransaction } from './apply-transaction.js'

function after(before: Table | undefined, text: string): Table | undefined {
  const applied = applyTransaction(before, commandsOf(text))
  if (!applied.ok) throw new Error(applied.error.message)
  return applied.table
}

const LEADING =
  'table ip t {\n\tmap m {\n\t\ttype mark : verdict\n\t\telements = { 0x1 : goto a }\n\t}\n\n\tchain a {\n\t}\n}\n'

function rejection(before: Table | undefined, text: string): string {
  const applied = applyTransaction(before, commandsOf(text))
  if (applied.ok) return 'accepted'
  const { code, command, message } = applied.error
  return `${command}: ${code}: ${message}`
}

const beginning = (() => {
  const applied = applyTransaction(undefined, BEGINNING)
  return applied.ok ? applied.table : undefined
})()

describe('an nft transaction', () => {
  it('rejects the deletion of a chain that an existing map element references', () => {
    const [table] = tablesOf(LEADING)
    expect(rejection(table, 'delete chain ip t a\n')).toBe('0: busy: chain a is still referenced')
    expect(rejection(table, 'delete map ip t m\ndelete chain ip t a\n')).toBe('accepted')
    expect(rejection(table, 'flush map ip t m\ndelete chain ip t a\n')).toBe('accepted')
  })

  it.each([
    ['add table ip u\n', '0: otherTable: table ip u is not table ip t'],
    ['create table ip t\n', '0: exists: table ip t already exists'],
    ['add chain ip t e\ncreate chain ip t e\n', '1: exists: chain e already exists'],
    [
      'add chain ip t a { type filter hook input priority 0 ; }\n',
      '0: changed: chain a already exists and is not a base chain',
    ],
    [
      'add chain ip t base { type filter hook input priority 1 ; }\n',
      '0: changed: chain base already exists with another type, hook or priority',
    ],
    [
      'add chain ip t base { type nat hook input priority 0 ; }\n',
      '0: changed: chain base already exists with another type, hook or priority',
    ],
    [
      'add chain ip t base { type filter hook output priority 0 ; }\n',
      '0: changed: chain base already exists with another type, hook or priority',
    ],
    ['delete chain ip t x\n', '0: absent: there is no chain x'],
    ['add table ip t { flags dormant ; }\n', 'accepted'],
    ['flush chain ip t x\n', '0: absent: there is no chain x'],
    ['add rule ip t a jump b\ndelete chain ip t b\n', '1: busy: chain b is still referenced'],
    ['add rule ip t a goto a\ndelete chain ip t a\n', '1: busy: chain a is still referenced'],
    ['add rule ip t a goto a\nflush chain ip t a\ndelete chain ip t a\n', 'accepted'],
    ['create set ip t s { type ipv4_addr ; }\n', '0: exists: set s already exists'],
    ['add set ip t s { type mark ; }\n', '0: changed: set s already exists with another type or flags'],
    ['add map ip t s { type ipv4_addr : verdict ; }\n', '0: changed: set s already exists with another type or flags'],
    ['add set ip t s { typeof ip saddr ; }\n', '0: changed: set s already exists with another type or flags'],
    ['delete map ip t s\n', '0: absent: there is no map s'],
    ['delete map ip t m\n', '0: busy: map m is still referenced'],
    ['flush ruleset\nadd rule ip t a drop\n', '1: absent: there is no table ip t'],
    ['add element ip t x { 10.0.0.1 }\n', '0: absent: there is no set or map x'],
    ['delete element ip t x { 10.0.0.1 }\n', '0: absent: there is no set or map x'],
    ['delete element ip t s { 10.0.0.1 }\n', '0: absent: there is no element 10.0.0.1 in s'],
    [
      'add element ip t s { 10.0.0.1 }\ncreate element ip t s { 10.0.0.1 }\n',
      '1: exists: element 10.0.0.1 in s already exists',
    ],
    [
      'add element ip t n { 80 : 10.0.0.1 }\nadd element ip t n { 80 : 10.0.0.2 }\n',
      '1: exists: element 80 in n already exists with another value',
    ],
    [
      'add element ip t s { 10.0.0.1 : drop }\n',
      '0: typeMismatch: element 10.0.0.1 of s has a value, but this is not a map',
    ],
    ['add element ip t n { 80 }\n', '0: typeMismatch: element 80 of n has no data'],
    [
      'add element ip t m { 10.0.0.1 . tcp . 80 }\n',
      '0: typeMismatch: element 10.0.0.1 . tcp . 80 of m has no verdict',
    ],
    [
      'add element ip t m { 10.0.0.1 : drop }\n',
      '0: typeMismatch: element 10.0.0.1 of m has another number of components than the key type of the set',
    ],
    ['add element ip t s { fd00::1 }\n', '0: typeMismatch: element fd00::1 of s is not a valid ipv4_addr'],
    [
      'add element ip t s { 10.0.0.0/8 }\n',
      '0: typeMismatch: element 10.0.0.0/8 of s is a range, but the set has no ranges',
    ],
    [
      'add element ip t s { 10.0.0.1 timeout 5s }\n',
      '0: typeMismatch: element 10.0.0.1 of s has a timeout, but the set has no timeouts',
    ],
    ['add element ip t m { 10.0.0.1 . tcp . 80 : goto x }\n', '0: absent: there is no chain x'],
    ['add rule ip t x drop\n', '0: absent: there is no chain x'],
    ['add rule ip t a jump x\n', '0: absent: there is no chain x'],
    ['add rule ip t a jump base\n', '0: typeMismatch: chain base is a base chain'],
    ['add rule ip t a ip saddr @x drop\n', '0: absent: there is no set or map x'],
    ['add rule ip t a counter name "x"\n', '0: absent: there is no counter x'],
    ['add rule ip t a handle 7 drop\n', '0: absent: there is no rule with handle 7 in chain a'],
    ['delete rule ip t a handle 7\n', '0: absent: there is no rule with handle 7 in chain a'],
    ['replace rule ip t a handle 7 drop\n', '0: absent: there is no rule with handle 7 in chain a'],
    ['create counter ip t k\n', '0: exists: counter k already exists'],
    ['delete counter ip t x\n', '0: absent: there is no counter x'],
    ['add rule ip t a counter name "k"\ndelete counter ip t k\n', '1: busy: counter k is still referenced'],
    [
      'add rule ip t base jump a\nadd rule ip t a jump b\nadd rule ip t b jump a\n',
      'undefined: loop: base -> a -> b -> a loops back to itself',
    ],
    ['add rule ip t a jump b\nadd rule ip t b jump a\n', 'accepted'],
    ['destroy chain ip t x\ndestroy set ip t x\ndestroy element ip t x { 1 }\ndestroy counter ip t x\n', 'accepted'],
    ['destroy element ip t s { 10.0.0.1 }\ndestroy rule ip t x handle 1\ndestroy rule ip t a handle 1\n', 'accepted'],
    ['delete table ip t\ndestroy table ip t\ndestroy chain ip t a\n', 'accepted'],
    ['destroy set ip t m\n', '0: absent: there is no set m'],
    ['flush map ip t s\n', '0: absent: there is no map s'],
    ['delete set ip t s\nadd element ip t s { 10.0.0.1 }\n', '1: absent: there is no set or map s'],
    ['flush set ip t s\nadd element ip t s { 10.0.0.1 }\n', 'accepted'],
    [
      'add set ip t x { type mark ; }\nadd rule ip t a mark @x\ndelete set ip t x\n',
      '2: busy: set x is still referenced',
    ],
    ['add set ip t x { type mark ; }\nadd rule ip t a mark @x\nflush chain ip t a\ndelete set ip t x\n', 'accepted'],
    ['add element ip t s { 10.0.0.1 }\ndelete element ip t s { 10.0.0.1 }\n', 'accepted'],
    [
      'add element ip t s { 10.0.0.1 }\ndelete element ip t s { 10.0.0.1 , 10.0.0.1 }\n',
      '1: absent: there is no element 10.0.0.1 in s',
    ],
    [
      'add element ip t m { 10.0.0.1 . tcp . 80 : goto a }\ndelete chain ip t a\n',
      '1: busy: chain a is still referenced',
    ],
    [
      'add element ip t m { 10.0.0.1 . tcp . 80 : goto a }\ndelete element ip t m { 10.0.0.1 . tcp . 80 }\ndelete chain ip t a\n',
      'accepted',
    ],
    [
      'add element ip t m { 10.0.0.1 . tcp . 80 : goto a , 10.0.0.2 . tcp . 80 : goto a }\ndelete element ip t m { 10.0.0.1 . tcp . 80 }\ndelete chain ip t a\n',
      '2: busy: chain a is still referenced',
    ],
    [
      'add element ip t m { 10.0.0.1 . tcp . 80 : goto a , 10.0.0.2 . tcp . 80 : jump a }\nflush map ip t m\ndelete chain ip t a\n',
      'accepted',
    ],
    [
      'add element ip t m { 10.0.0.1 . tcp . 80 : goto a }\nadd element ip t m { 10.0.0.1 . tcp . 80 : jump a }\n',
      '1: exists: element 10.0.0.1 . tcp . 80 in m already exists with another value',
    ],
    [
      'add element ip t m { 10.0.0.1 . tcp . 80 : goto a }\nadd element ip t m { 10.0.0.1 . tcp . 80 : goto b }\n',
      '1: exists: element 10.0.0.1 . tcp . 80 in m already exists with another value',
    ],
    [
      'add element ip t m { 10.0.0.1 . tcp . 80 : goto a }\nadd element ip t m { 10.0.0.1 . tcp . 80 : goto a }\n',
      'accepted',
    ],
    ['add element ip t m { 10.0.0.1 . tcp . 80 : goto base }\n', '0: typeMismatch: chain base is a base chain'],
    [
      'add element ip t s { 10.0.0.1 : 5 }\n',
      '0: typeMismatch: element 10.0.0.1 of s has a value, but this is not a map',
    ],
    ['add element ip t n { 80 : drop }\n', '0: typeMismatch: element 80 of n has no data'],
    [
      'add element ip t n { 80-90 : 10.0.0.1 }\n',
      '0: typeMismatch: element 80-90 of n is a range, but the set has no ranges',
    ],
    [
      'add element ip t m { 10.0.0.1 . tcp . 70000 : drop }\n',
      '0: typeMismatch: element 10.0.0.1 . tcp . 70000 of m is not a valid inet_service',
    ],
    [
      'add element ip t m { 10.0.0.1 . tcp . 80 . 5 : drop }\n',
      '0: typeMismatch: element 10.0.0.1 . tcp . 80 . 5 of m has another number of components than the key type of the set',
    ],
    ['add element ip t m { 10.0.0.1 . tcp . * : drop }\n', 'accepted'],
    ['add set ip t x { type mark ; flags timeout ; }\nadd element ip t x { 5 timeout 5s }\n', 'accepted'],
    ['add set ip t x { type mark ; timeout 9s ; }\nadd element ip t x { 5 timeout 5s }\n', 'accepted'],
    [
      'add set ip t x { type mark ; flags interval ; }\nadd element ip t x { 5 timeout 5s }\n',
      '1: typeMismatch: element 0x00000005 of x has a timeout, but the set has no timeouts',
    ],
    [
      'add set ip t x { type mark ; elements = { 5 : drop } ; }\n',
      '0: typeMismatch: element 0x00000005 of x has a value, but this is not a map',
    ],
    [
      'add set ip t s { type ipv4_addr ; elements = { 10.0.0.1 } ; }\nadd set ip t s { type ipv4_addr ; elements = { 10.0.0.1 } ; }\n',
      'accepted',
    ],
    ['add set ip t s { type ipv4_addr . mark ; }\n', '0: changed: set s already exists with another type or flags'],
    [
      'add set ip t s { type ipv4_addr ; flags interval ; }\n',
      '0: changed: set s already exists with another type or flags',
    ],
    [
      'add set ip t s { type ipv4_addr ; timeout 5s ; }\n',
      '0: changed: set s already exists with another type or flags',
    ],
    ['add set ip t d { type ipv4_addr ; flags timeout,dynamic ; }\n', 'accepted'],
    ['add set ip t d { type ipv4_addr ; flags dynamic ; timeout 5s ; }\n', 'accepted'],
    [
      'add set ip t d { type ipv4_addr ; flags dynamic ; }\n',
      '0: changed: set d already exists with another type or flags',
    ],
    ['add map ip t n { type inet_service : ipv4_addr ; }\n', 'accepted'],
    [
      'add map ip t n { type inet_service : ipv6_addr ; }\n',
      '0: changed: map n already exists with another type or flags',
    ],
    [
      'add map ip t n { type inet_service : ipv4_addr . mark ; }\n',
      '0: changed: map n already exists with another type or flags',
    ],
    [
      'add set ip t x { typeof ip saddr ; }\nadd set ip t x { typeof ip daddr ; }\n',
      '1: changed: set x already exists with another type or flags',
    ],
    ['add set ip t x { typeof ip saddr ; }\nadd set ip t x { typeof ip saddr ; }\n', 'accepted'],
    ['add chain ip t base\n', 'accepted'],
    ['add chain ip t base { type filter hook input priority 0 ; }\n', 'accepted'],
    ['create counter ip t x\ncreate quota ip t x { over 5 mbytes ; }\n', 'accepted'],
    [
      'create quota ip t x { over 5 mbytes ; }\ncreate quota ip t x { over 5 mbytes ; }\n',
      '1: exists: quota x already exists',
    ],
    ['add counter ip t k\ndelete counter ip t k\ndelete counter ip t k\n', '2: absent: there is no counter k'],
    ['delete quota ip t k\n', '0: absent: there is no quota k'],
    ['add rule ip t a counter name "k"\nflush chain ip t a\ndelete counter ip t k\n', 'accepted'],
    ['add rule ip t a counter name "k"\nflush table ip t\ndelete counter ip t k\n', 'accepted'],
    ['delete chain ip t a\nadd rule ip t a drop\n', '1: absent: there is no chain a'],
    ['delete table ip t\nadd chain ip t a\n', '1: absent: there is no table ip t'],
    ['flush ruleset ip6\nadd rule ip t a drop\n', 'accepted'],
    ['flush ruleset ip\nadd rule ip t a drop\n', '1: absent: there is no table ip t'],
    ['add rule ip t a goto a\n', 'accepted'],
    ['add rule ip t base goto a\nadd rule ip t a goto a\n', 'undefined: loop: base -> a -> a loops back to itself'],
    [
      'add element ip t m { 10.0.0.1 . tcp . 80 : goto a }\nadd rule ip t a ip daddr . meta l4proto . th dport vmap @m\n',
      'undefined: loop: base -> a -> a loops back to itself',
    ],
  ])('has the same result as in the kernel: %s', (text, expected) => {
    expect(rejection(beginning, text)).toBe(expected)
  })

  it.each([
    ['delete table ip t\n', '0: absent: there is no table ip t'],
    ['flush table ip t\n', '0: absent: there is no table ip t'],
    ['flush ruleset\n', 'accepted'],
    ['', 'accepted'],
  ])('is applied to an empty ruleset: %s', (text, expected) => {
    expect(rejection(undefined, text)).toBe(expected)
    expect(applyTransaction(undefined, commandsOf('flush ruleset\n'))).toEqual({ ok: true, table: undefined })
  })

  it('creates a table with the flags of the command', () => {
    expect(after(undefined, 'add table ip t { flags dormant ; }\n')).toMatchObject({ flags: ['dormant'] })
  })

  it('is rejected if the new rule of a replacement is invalid', () => {
    const table = after(undefined, 'add table ip t\nadd chain ip t c\nadd rule ip t c drop\n')
    const withHandles = table && {
      ...table,
      chains: table.chains.map((chain) => ({
        ...chain,
        rules: chain.rules.map((rule) => ({ ...rule, handle: 7 })),
      })),
    }
    expect(rejection(withHandles, 'replace rule ip t c handle 7 jump x\n')).toBe('0: absent: there is no chain x')
  })

  it('counts references in added and removed rules', () => {
    const [table] = tablesOf(
      'table ip t {\n\tcounter k {\n\t}\n\n\tchain a {\n\t}\n\n\tchain b {\n\t}\n\n\tchain c {\n\t\tcounter name "k" goto a # handle 7\n\t}\n}\n',
    )
    const replaced = 'replace rule ip t c handle 7 goto b\n'
    expect(rejection(table, 'delete chain ip t a\n')).toBe('0: busy: chain a is still referenced')
    expect(rejection(table, 'delete counter ip t k\n')).toBe('0: busy: counter k is still referenced')
    expect(rejection(table, `${replaced}delete chain ip t a\ndelete counter ip t k\n`)).toBe('accepted')
    expect(rejection(table, `${replaced}delete chain ip t b\n`)).toBe('1: busy: chain b is still referenced')
    expect(rejection(table, 'delete rule ip t c handle 7\ndelete chain ip t a\ndelete counter ip t k\n')).toBe(
      'accepted',
    )
    expect(rejection(table, 'delete chain ip t c\ndelete chain ip t a\n')).toBe('accepted')
  })

  it('creates a table with exactly the given contents', () => {
    const at = { family: 'ip', name: 't' }
    const head = 'add table ip t { comment "why" ; flags dormant ; }\n'
    const made = after(
      undefined,
      `${head}add chain ip t c { comment "it" ; type filter hook input priority 0 ; }
add chain ip t c { type filter hook input priority 0 ; policy drop ; }
add chain ip t d
add set ip t s { type mark ; comment "is" ; elements = { 5 } ; }
add counter ip t k { comment "so" ; packets 1 bytes 2 ; }
`,
    )
    const base = { type: 'filter', hook: 'input', priority: 0, policy: 'drop' }
    const expected = {
      ...at,
      flags: ['dormant'],
      comment: 'why',
      chains: [
        { name: 'c', base, comment: 'it', rules: [] },
        { name: 'd', rules: [] },
      ],
      sets: [
        {
          kind: 'set',
          name: 's',
          key: { kind: 'type', types: ['mark'] },
          comment: 'is',
          elements: [{ key: '0x00000005' }],
        },
      ],
      objects: [{ kind: 'counter', name: 'k', packets: 1, bytes: 2, comment: 'so' }],
    }
    expect(made).toStrictEqual(expected)
    expect(JSON.stringify(made)).toBe(JSON.stringify(expected))
    expect(after(undefined, 'add table ip t\n')).toStrictEqual({ ...at, chains: [], sets: [], objects: [] })
  })

  it('keeps handles and all other parts of a table if the transaction has no commands', () => {
    const table = tableOf(`table ip t { # handle 1
	flags dormant
	comment "why"
	counter k { # handle 2
		packets 1 bytes 2
	}

	set s { # handle 3
		type mark
	}

	chain c { # handle 4
		comment "it"
		drop # handle 5
	}
}
`)
    expect(after(table, '')).toStrictEqual(table)
    expect(JSON.stringify(after(table, ''))).toBe(JSON.stringify(table))
  })

  it('is rejected if a chain of jumps is too long', () => {
    const names = Array.from({ length: 16 }, (_, index) => `c${index}`)
    const chains = names.map((name) => `add chain ip t ${name}\n`).join('')
    const rules = names
      .map((name, index) => `add rule ip t ${index === 0 ? 'base' : names[index - 1]} jump ${name}\n`)
      .join('')
    expect(rejection(beginning, chains + rules)).toMatch(/^undefined: depth: base -> c0 .* -> c15 is too long$/)
  })

  it('changes rules that commands name by handle', () => {
    const table = tableOf(`table ip t {
	chain c { # handle 1
		accept # handle 2
		drop # handle 3
		return # handle 4
	}
}
`)
    const changed = after(
      table,
      `add rule ip t c handle 2 counter
insert rule ip t c handle 3 continue
replace rule ip t c handle 3 mark set 0x1
delete rule ip t c handle 4
insert rule ip t c ip ttl 5 drop
`,
    )
    const rules = printListing(changed as Table, { version: '1.0' })
      .split('\n')
      .slice(2, -3)
    expect(rules.map((line) => line.trim())).toEqual([
      'ip ttl 5 drop',
      'accept',
      'counter packets 0 bytes 0',
      'continue',
      'meta mark set 0x00000001',
    ])
  })

  it('changes the policy of a chain, and timeouts of a set and of its elements', () => {
    const text = (commands: string) => printTable(after(beginning, commands) as Table)
    expect(text('add chain ip t base { type filter hook input priority 0 ; policy drop ; }\n')).toContain(
      'policy drop ;',
    )
    const some = 'add element ip t d { 10.0.0.1 , 10.0.0.2 timeout 90s }\n'
    const changed = text(`${some}add set ip t d { type ipv4_addr ; flags timeout,dynamic ; timeout 90s ; }\n`)
    expect(changed).toContain('timeout 90s ; }')
    expect(changed).toContain('{ 10.0.0.1 timeout 60s }\nadd element ip t d { 10.0.0.2 }\n')
    const without = text(`${some}add set ip t d { type ipv4_addr ; flags timeout,dynamic ; }\n`)
    expect(without).toContain('{ 10.0.0.1 timeout 60s }\nadd element ip t d { 10.0.0.2 timeout 90s }\n')
    const again = text(
      `${some}add element ip t d { 10.0.0.1 timeout 5s , 10.0.0.2 }\nadd element ip t s { 10.0.0.1 , 10.0.0.1 }\n`,
    )
    expect(again).toContain('{ 10.0.0.1 timeout 5s }\nadd element ip t d { 10.0.0.2 }\n')
  })

  it('accepts keys of types that this implementation does not evaluate', () => {
    const commands = `add set ip t e { type ether_addr . inet_service ; flags interval ; elements = { 00:11:22:33:44:55 . 80-90 , * . 80 } ; }
add set ip t f { typeof ip saddr ; elements = { any } ; }
`
    expect(rejection(beginning, commands)).toBe('accepted')
  })

  it('flushes a table and adds its contents again', () => {
    expect(after(beginning, 'flush table ip t\n')?.chains.flatMap(({ rules }) => rules)).toEqual([])
    expect(after(beginning, 'flush table ip t\n')?.sets.length).toBe(4)
    const commands = `delete table ip t\n${printTable(beginning as Table)}`
    expect(printTable(after(beginning, commands) as Table)).toBe(printTable(beginning as Table))
  })
})
