import { testDiffs } from './diffs.js'

testDiffs('nft')
