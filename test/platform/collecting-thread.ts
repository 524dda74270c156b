/** A thread that collects its garbage again and again, beside others that do so, too. */
import { collectGarbage } from '../../src/platform/collect-garbage.ts'

for (let times = 0; times < 100; times++) collectGarbage()
