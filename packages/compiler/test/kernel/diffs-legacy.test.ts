import { testDiffs } from './diffs.js'

testDiffs('legacy')
