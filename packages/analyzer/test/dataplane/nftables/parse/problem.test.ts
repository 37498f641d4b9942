import { describe, expect, it } from 'vitest'
import { parseNftables } from '../../../../src/dataplane/nftables/parse/parse.js'
import { type NftablesProblem, recordProblem } from '../../../../src/dataplane/nftables/parse/problem.js'

/** Formats the problems of a text, in order. */
function problemsOf(text: string): readonly string[] {
  const read = parseNftables(text)
  return read.ok ? [] : read.problems.map(({ code, line, column, message }) => `${line}:${column} ${code}: ${message}`)
}

const inBlock = (head: string) => (lines: string) => `table ip t {\n\t${head} {\n\t\t${lines}\n\t}\n}\n`
const inChain = inBlock('chain c')
const inSet = inBlock('set s')
const inMap = inBlock('map m')
const inCounter = inBlock('counter k')

const ONLY = 'expected add, create, delete, destroy, flush, insert, replace or a table'

describe('a text problem', () => {
  it.each<readonly [string, ...(readonly string[])]>([
    [
      'table ip t {\r\n}\n',
      '1:13 invalidCharacter: nft never prints this character',
      '1:14 missingWord: a name is expected here',
    ],
    [inChain('log prefix "a'), '3:14 openQuote: a double quote is not closed in its line'],
    ['add rule ip t c log "a\n', '1:21 openQuote: a double quote is not closed in its line'],
    [inSet('type mark\n\t\twhat'), '4:3 unexpectedWord: a property of the set is expected here'],
    [inSet('type mark\n\t\t"size" 5'), '4:3 unexpectedWord: a property of the set is expected here'],
    [inMap('what'), '3:3 unexpectedWord: a property of the map is expected here'],
    [inSet('type mark\n\t\tsize x'), '4:3 unexpectedWord: a property of the set is expected here'],
    [inSet('type mark\n\t\ttimeout x'), '4:3 unexpectedWord: a property of the set is expected here'],
    [inSet('type mark\n\t\tgc-interval'), '4:3 unexpectedWord: a property of the set is expected here'],
    [inSet('type mark\n\t\tpolicy'), '4:3 unexpectedWord: a property of the set is expected here'],
    [inSet('type mark\n\t\tcomment'), '4:3 unexpectedWord: a property of the set is expected here'],
    [inSet('type mark\n\t\tflags "a"'), '4:3 unexpectedWord: a property of the set is expected here'],
    [inSet('type mark\n\t\tsize 5 6'), '4:10 unexpectedWord: the end of the line is expected here'],
    [inSet('type mark\n\t\tsize 5 6\n\t\tsize 7 8'), '4:10 unexpectedWord: the end of the line is expected here'],
    [inSet('type mark mark'), '3:3 unexpectedWord: a property of the set is expected here'],
    [inSet('type : mark'), '3:3 unexpectedWord: a property of the set is expected here'],
    [inSet('type mark\n\t\telements = 5'), '4:14 unexpectedWord: a list of elements in braces is expected here'],
    [inSet('type mark\n\t\telements { 5 }'), '4:12 unexpectedWord: a list of elements in braces is expected here'],
    [
      inSet('type mark\n\t\telements = { 5 { 6 }'),
      '4:18 unexpectedWord: a list of elements in braces is expected here',
    ],
    [inSet('type\n\t\tflags interval'), '3:3 unexpectedWord: a property of the set is expected here'],
    [inSet('flags interval'), '2:9 missingWord: the set has no type'],
    [inMap('type mark'), '2:9 missingWord: the map has no type'],
    [inSet('type mark : mark'), '2:9 missingWord: the set has no type'],
    ['table ip t {\n\tset\n\t\n}\n', '2:5 missingWord: a name is expected here'],
    ['table ip t {\n\tset s\n\t\n}\n', '2:7 missingWord: an opening brace is expected here'],
    [
      'table ip t {\n\tset s {\n\t\ttype mark\n\t}\n\tset s {\n\t\ttype mark\n\t}\n}\n',
      '5:6 duplicateName: another set or map of the table has this name',
    ],
    [
      'table ip t {\n\tset s {\n',
      '3:1 unclosedBlock: the set is not closed',
      '3:1 unclosedBlock: the table is not closed',
    ],
    [
      'table ip t {\n\tmap s {\n',
      '3:1 unclosedBlock: the map is not closed',
      '3:1 unclosedBlock: the table is not closed',
    ],
    [
      'table ip t {\n\tset s {\n\t\twhat\n',
      '3:3 unexpectedWord: a property of the set is expected here',
      '4:1 unclosedBlock: the set is not closed',
      '4:1 unclosedBlock: the table is not closed',
    ],
    [inChain('drop comment "a" accept'), '3:20 unexpectedWord: the end of the rule after its comment is expected here'],
    [inChain('drop comment'), '3:15 missingWord: a comment is expected here'],
    [
      'table ip t {\n\tchain c {\n\t\tdrop comment }\n}\n',
      '3:16 unexpectedWord: a comment is expected here',
      '5:1 unclosedBlock: the table is not closed',
    ],
    [inChain('comment'), '3:10 missingWord: a comment is expected here'],
    [inChain('type'), '3:7 missingWord: type TYPE hook HOOK is expected here'],
    [inChain('type filter'), '3:14 missingWord: type TYPE hook HOOK is expected here'],
    [inChain('type "filter" hook input priority 0;'), '3:8 unexpectedWord: type TYPE hook HOOK is expected here'],
    [inChain('type filter hook'), '3:19 missingWord: a hook is expected here'],
    [inChain('type filter hook "input" priority 0'), '3:20 unexpectedWord: a hook is expected here'],
    [inChain('type filter hook input'), '3:25 missingWord: priority is expected here'],
    [inChain('type filter hook ingress device'), '3:34 missingWord: priority is expected here'],
    [inChain('type filter hook ingress devices lo priority 0'), '3:36 unexpectedWord: priority is expected here'],
    [inChain('type filter hook ingress devices = lo priority 0'), '3:38 unexpectedWord: priority is expected here'],
    [
      inChain('type filter hook ingress devices = { "lo" "eth0" } priority 0'),
      '3:45 unexpectedWord: priority is expected here',
      `5:1 unknownCommand: ${ONLY}`,
    ],
    [
      inChain('type filter hook ingress devices = { "lo", } priority 0'),
      '3:46 unexpectedWord: priority is expected here',
      `5:1 unknownCommand: ${ONLY}`,
    ],
    [inChain('type filter hook input priority what;'), '3:35 invalidValue: this is not a priority of the family'],
    [inChain('type filter hook input priority out;'), '3:35 invalidValue: this is not a priority of the family'],
    [inChain('type filter hook input priority filter * 5;'), '3:35 invalidValue: this is not a priority of the family'],
    [
      inChain('type filter hook input priority filter + -5;'),
      '3:35 invalidValue: this is not a priority of the family',
    ],
    [
      inChain('type filter hook input priority filter - x5;'),
      '3:35 invalidValue: this is not a priority of the family',
    ],
    [inChain('type filter hook input priority filter 5;'), '3:35 invalidValue: this is not a priority of the family'],
    [inChain('type filter hook input priority filter -;'), '3:35 invalidValue: this is not a priority of the family'],
    [inChain('type filter hook input priority ;'), '3:35 invalidValue: this is not a priority of the family'],
    [
      inChain('type filter hook input priority 12345678901;'),
      '3:35 invalidValue: this is not a priority of the family',
    ],
    [
      inChain('type filter hook input priority filter + 12345678901;'),
      '3:35 invalidValue: this is not a priority of the family',
    ],
    [inChain('type filter hook input priority 0x5;'), '3:35 invalidValue: this is not a priority of the family'],
    [inChain('type filter hook input priority 0 5;'), '3:37 unexpectedWord: the end of the priority is expected here'],
    [
      inChain('type filter hook input priority 0; policy maybe;'),
      '3:45 unexpectedWord: accept or drop is expected here',
    ],
    [inChain('type filter hook input priority 0; policy;'), '3:44 unexpectedWord: accept or drop is expected here'],
    [
      'table ip t {\n\tchain c {\n\t\tjump {\n\t\n}\n',
      '6:1 unclosedBlock: the chain is not closed',
      '6:1 unclosedBlock: the table is not closed',
    ],
    [inChain('log \\ x'), '3:7 unexpectedWord: a word is expected here'],
    [
      'table ip t {\n\tchain c }\n}\n',
      '2:10 unexpectedWord: an opening brace is expected here',
      `3:1 unknownCommand: ${ONLY}`,
    ],
    ['table ip t {\n\tchain\n}\n', '2:7 missingWord: a name is expected here'],
    ['table ip t {\n\tchain "c" {\n}\n}\n', '2:8 unexpectedWord: a name is expected here'],
    ['table ip t {\n\tchain c\n}\n', '2:9 missingWord: an opening brace is expected here'],
    [
      'table ip t {\n\tchain c {\n\t}\n\tchain c {\n\t}\n}\n',
      '4:8 duplicateName: another chain of the table has this name',
    ],
    [
      'table ip t {\n\tchain c {\n',
      '3:1 unclosedBlock: the chain is not closed',
      '3:1 unclosedBlock: the table is not closed',
    ],
    [
      'table ip t {\n\tchain c {\n\t\tdrop',
      '3:7 unclosedBlock: the chain is not closed',
      '3:7 unclosedBlock: the table is not closed',
    ],
    [
      'table ip t {\n\t{\n}\n',
      '2:2 unexpectedWord: a chain, a set or a map is expected here',
      '4:1 unclosedBlock: the table is not closed',
    ],
    ['table ip t {\n\tcomment\n}\n', '2:9 missingWord: a comment is expected here'],
    ['table ip t {\n\tflags\n}\n', '2:7 missingWord: flags is expected here'],
    ['table ip t {\n\tflags dormant,\n}\n', '2:16 missingWord: flags is expected here'],
    ['table ip t {\n\tct\n}\n', '2:4 missingWord: the type of the ct object is expected here'],
    ['table ip t {\n\tct "helper" h {\n\t}\n}\n', '2:5 unexpectedWord: the type of the ct object is expected here'],
    ['table ip t {\n', '2:1 unclosedBlock: the table is not closed'],
    ['table ip t {\n\tcomment "a" b\n\tflags\n}\n', '3:7 missingWord: flags is expected here'],
    ['table ip t ;\n', '1:12 unexpectedWord: an opening brace is expected here'],
    ['table { }\n', '1:7 unexpectedWord: the name of the table is expected here'],
    ['table\n', '1:6 missingWord: the name of the table is expected here'],
    ['table ip t\n', '1:11 missingWord: an opening brace is expected here'],
    ['table ip t {\n}\ntable ip t {\n}\n', '3:10 duplicateName: table ip t already exists'],
    ['table ip t {\n} more\n', '2:3 unexpectedWord: the end of the line is expected here'],
    [inCounter('comment'), '3:10 missingWord: a comment is expected here', `5:1 unknownCommand: ${ONLY}`],
    [inCounter('packets 5'), '3:3 unexpectedWord: packets N bytes N is expected here', `5:1 unknownCommand: ${ONLY}`],
    [
      inCounter('packets 5 bytes 6 what'),
      '3:21 unexpectedWord: packets N bytes N is expected here',
      `5:1 unknownCommand: ${ONLY}`,
    ],
    [inCounter('bytes 5'), '3:3 unexpectedWord: packets N bytes N is expected here', `5:1 unknownCommand: ${ONLY}`],
    ['table ip t {\n\tcounter {\n\t}\n}\n', '2:10 unexpectedWord: a name is expected here'],
    ['table ip t {\n\tcounter k\n\t\n}\n', '2:11 missingWord: an opening brace is expected here'],
    [
      'table ip t {\n\tcounter k {\n',
      '3:1 missingWord: packets N bytes N is expected here',
      '3:1 unclosedBlock: the table is not closed',
    ],
    [
      'table ip t {\n\tquota q {\n',
      '3:1 unclosedBlock: the quota is not closed',
      '3:1 unclosedBlock: the table is not closed',
    ],
    [
      'table ip t {\n\tquota q {\n\t\tover "5\n\t}\n}\n',
      '3:8 openQuote: a double quote is not closed in its line',
      `5:1 unknownCommand: ${ONLY}`,
    ],
    [
      'table ip t {\n\tct helper h {\n',
      '3:1 unclosedBlock: the ct helper is not closed',
      '3:1 unclosedBlock: the table is not closed',
    ],
    ['what\n', `1:1 unknownCommand: ${ONLY}`],
    ['"add" table t\n', `1:1 unknownCommand: ${ONLY}`],
    ['}\n', `1:1 unknownCommand: ${ONLY}`],
    ['add\n', '1:4 missingWord: the object of the command is expected here'],
    ['add ruleset\n', '1:5 unknownCommand: the command does not apply to this object'],
    ['add table\n', '1:10 missingWord: a name is expected here'],
    ['insert table ip t\n', '1:8 unknownCommand: the command does not apply to this object'],
    ['replace table t\n', '1:9 unknownCommand: the command does not apply to this object'],
    [
      'add table ip t { what ; }\n',
      '1:18 unexpectedWord: comment or flags is expected here',
      `1:25 unknownCommand: ${ONLY}`,
    ],
    [
      'add table ip t { comment ; }\n',
      '1:26 unexpectedWord: comment or flags is expected here',
      `1:28 unknownCommand: ${ONLY}`,
    ],
    [
      'add table ip t { flags ; }\n',
      '1:24 unexpectedWord: comment or flags is expected here',
      `1:26 unknownCommand: ${ONLY}`,
    ],
    ['add table ip t }\n', '1:16 unexpectedWord: the end of the line is expected here'],
    ['add table ip t {} more\n', '1:19 unexpectedWord: the end of the line is expected here'],
    ['add table ip t more\n', '1:16 unexpectedWord: the end of the line is expected here'],
    ['add table handle 5\n', '1:11 invalidValue: expected a name, not a handle'],
    ['add chain\n', '1:10 missingWord: a name is expected here'],
    ['add chain ip t\n', '1:15 missingWord: a name is expected here'],
    ['insert chain ip t c\n', '1:8 unknownCommand: the command does not apply to this object'],
    ['delete chain ip t handle 5\n', '1:19 invalidValue: expected a name, not a handle'],
    ['add chain ip t c { drop ; }\n', '1:5 unexpectedWord: expected each rule in a separate command'],
    ['add chain ip t c { type filter input ; }\n', '1:32 unexpectedWord: type TYPE hook HOOK is expected here'],
    ['add chain ip t "c"\n', '1:16 unexpectedWord: a name is expected here'],
    ['add set ip t\n', '1:13 missingWord: a name is expected here'],
    ['add set ip t s\n', '1:15 missingWord: an opening brace is expected here'],
    ['add map ip t m\n', '1:15 missingWord: an opening brace is expected here'],
    ['insert set ip t s\n', '1:8 unknownCommand: the command does not apply to this object'],
    ['replace map ip t s\n', '1:9 unknownCommand: the command does not apply to this object'],
    ['add set ip t s { flags interval ; }\n', '1:18 missingWord: the set has no type'],
    ['add set ip t s { type mark ; what ; }\n', '1:30 unexpectedWord: a property of the set is expected here'],
    ['add element ip t\n', '1:17 missingWord: a name is expected here'],
    ['add element ip t s 5\n', '1:20 unexpectedWord: a list of elements in braces is expected here'],
    ['add element ip t s\n', '1:19 missingWord: a list of elements in braces is expected here'],
    ['flush element ip t s { 5 }\n', '1:7 unknownCommand: the command does not apply to this object'],
    ['insert element ip t s { 5 }\n', '1:8 unknownCommand: the command does not apply to this object'],
    ['add rule ip t\n', '1:14 missingWord: a name is expected here'],
    ['add rule ip t c\n', '1:16 missingWord: a statement is expected here'],
    ['add rule ip t c comment "x"\n', '1:28 missingWord: a statement is expected here'],
    ['add rule ip t c handle x drop\n', '1:24 unexpectedWord: a handle is expected here'],
    ['add rule ip t c position\n', '1:25 missingWord: a handle is expected here'],
    ['delete rule ip t c drop\n', '1:20 unexpectedWord: handle N is expected here'],
    ['destroy rule ip t c\n', '1:20 missingWord: handle N is expected here'],
    ['replace rule ip t c drop\n', '1:21 unexpectedWord: handle N is expected here'],
    ['add rule ip t c index 5 drop\n', '1:17 invalidValue: expected a handle, not an index'],
    ['create rule ip t c drop\n', '1:8 unknownCommand: the command does not apply to this object'],
    ['flush rule ip t c\n', '1:7 unknownCommand: the command does not apply to this object'],
    ['replace rule ip t c handle 5\n', '1:29 missingWord: a statement is expected here'],
    ['flush counter ip t k\n', '1:7 unknownCommand: the command does not apply to this object'],
    ['insert quota ip t q\n', '1:8 unknownCommand: the command does not apply to this object'],
    ['add what ip t k\n', '1:5 unknownCommand: the command does not apply to this object'],
    ['add counter ip t\n', '1:17 missingWord: a name is expected here'],
    ['add ct\n', '1:7 missingWord: the type of the ct object is expected here'],
    ['add ct helper\n', '1:14 missingWord: a name is expected here'],
    ['delete ct "helper" ip t h\n', '1:11 unexpectedWord: the type of the ct object is expected here'],
    ['add counter ip t k { packets x }\n', '1:22 unexpectedWord: packets N bytes N is expected here'],
    ['add quota ip t q { \n', '2:1 unclosedBlock: the quota is not closed'],
    ['add table ip t\nadd rule ip t c drop\n', '2:1 rejectedCommand: there is no chain c'],
  ])('is reported for %j', (text, ...problems) => {
    expect(problemsOf(text)).toEqual(problems)
  })
})

describe('a position in a text', () => {
  it.each([
    ['\nabc', 1, '2:1', 'abc'],
    ['ab\n\ncd', 1, '1:2', 'ab'],
    ['ab\n\ncd', 2, '1:3', 'ab'],
    ['ab\n\ncd', 3, '2:1', ''],
    ['ab\n\ncd', 5, '3:2', 'cd'],
    ['', 0, '1:1', ''],
  ])('is converted: %j at offset %i is at line and column %s', (source, start, place, line) => {
    const problems: NftablesProblem[] = []
    recordProblem({ source, at: 0, problems }, 'missingWord', 'why', { kind: 'end', start, end: start, text: '' })
    expect(problems.map((each) => `${each.line}:${each.column} ${each.message}`)).toEqual([`${place} why`])
    expect(problems[0]?.excerpt.split('\n')[0]?.trimEnd()).toBe(`${place.split(':')[0]} | ${line}`.trimEnd())
  })
})
