package workload

import "strings"

// proseWords are the words of synthetic prompts: frequent English words and longer ones, so that a word is about as many
// tokens as in ordinary English text.
var proseWords = strings.Fields(`
the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one you
were all her she there would their we him been has when who will no more if out so up said what its about than into
them can only other time new some could these two may first then do any like my now over such our man me even most
made after also did many before must through years where much your way well down should because each just state those
people how too little good world make very year still see work long here get both between life being under never day
same another know while last might us great old off come since against go came right used take three
agreement analysis architecture assembly atmosphere balance behaviour boundary calculation capacity character
circumstance collection comparison condition connection consequence construction conversation customer decision
definition department description development difference direction discussion distribution economic education
electricity employment environment equipment establishment evaluation evidence examination experience explanation
foundation framework generation government historical identification illustration importance independent information
infrastructure instruction instrument intelligence interpretation introduction investigation knowledge laboratory
landscape language literature maintenance management manufacturing mathematics measurement mechanism neighbourhood
observation operation opportunity organisation performance permission perspective philosophy population possibility
preparation presentation probability procedure production professional programme publication quantity recommendation
reference relationship representation requirement research responsibility satisfaction scientific settlement
significance situation statement structure temperature tradition transformation translation transportation
understanding university variation vegetation vocabulary
`)

// saltWords are 256 common words of four letters: a salt of them has the same length in bytes whatever its value, and
// nearly the same length in tokens.
var saltWords = strings.Fields(`
able acid aged also area army away baby back ball band bank base bath bear beat
been beer bell belt best bill bird blow blue boat body bold bond bone book boom
born boss both bowl bulk burn bush busy call calm came camp card care case cash
cast cell chat chip city club coal coat code cold come cook cool cope copy core
cost crew crop dark data date dawn days dead deal dean dear debt deep deny desk
dial diet disc disk does done door dose down draw drew drop drum dual duke dust
duty each earn ease east easy edge else even ever evil exit face fact fail fair
fall farm fast fate fear feed feel feet fell felt file fill film find fine fire
firm fish five flat flow food foot ford form fort four free from fuel full fund
gain game gate gave gear gene gift girl give glad goal goes gold golf gone good
gray grew grey grow gulf hair half hall hand hang hard harm hats have head hear
heat held help here hero high hill hire hold hole holy home hope host hour huge
hung hunt hurt idea inch into iron item join jump jury just keen keep kept kick
kind king knee knew know lack lady laid lake land lane last late lead left less
life lift like line link list live load loan lock logo long look lord lose loss
lost love luck made mail main make many mark mass meal mean meat meet menu mere
`)
