"""What the phrase rules know of English words: closed classes, and the open words whose ending misleads.

Each class is one letter, so that a sentence is a string of letters and the grammar a regular expression over
it (`claimlight.text.phrases`):

====  =============================================  ====  =============================================
N     noun, and every word nothing is known of       K     noun that heads a compound ("unit")
J     adjective                                      a     adjective before a noun, preposition after one
G     -ing word that may describe ("rotating")       h     -ing verb of method steps ("forming")
g     -ing word that never describes ("comprising")  E     participle that may describe ("curved")
V     verb                                           v     verb or noun ("supports")
s     unknown word in -s: a plural or a verb         L     noun that a number completes ("type")
B     form of "be"                                   A     form of "have"
M     modal verb                                     T     "to"
D     article, possessive, "said"                    d     other determiner ("each")
W     pronoun, relative or personal                  I     noun of idioms ("in order to")
C     number                                         O     ordinal
U     unit of measurement                            Q     noun of number ("plurality")
R     adverb                                         H     hedge ("substantially")
P     preposition, conjunction                       p     preposition that takes a gerund ("for")
o     "of"                                           F     part of a document ("claim", "FIG")
X     sign that ends a phrase                        Y     comma
====  =============================================  ====  =============================================
"""

from __future__ import annotations

from collections.abc import Mapping

_CLASSES = {
    "D": """a an the this these said its their his her our your my aforementioned aforesaid abovementioned
        above-mentioned above-described following former latter""",
    "d": """those each every any some both all no either neither another other others same various several
        many much numerous multiple few more most less least fewer respective corresponding certain
        particular own whatever whichever enough half no whose forth""",
    "I": "order addition part fact turn general place accordance",
    "W": "that which who whom what it he she they we you i itself",
    "P": """in on at from with without within into onto upon under over between among amongst around about
        above below beneath beside beyond behind before across against along through throughout during
        until till since per via than toward towards out off up down inside outside near except despite
        regarding concerning and or but nor and/or if because although though unless whether while
        whilst whereas when where as so yet once whenever wherever lest one ones them him me themselves
        himself oneself wherein whereby whereupon whereof wherefrom therein thereby therefore thereof
        therefrom thereto thereon therewith thereupon herein hereby hereinafter hereinbefore how why not
        etc e.g i.e vs versus there here then thus hence according owing due apart instead plus minus
        amid atop alongside underneath anything something nothing everything someone anyone everyone
        none ie eg cf wherewith therebetween therethrough thereafter thereunder together al alia viz et
        pat u.s such""",
    "p": "by for after upon",
    "o": "of",
    "T": "to",
    "M": "can could may might must shall should will would cannot ought",
    "B": "is are was were be been being am isn't aren't",
    "A": "has have had having",
    "Q": "plurality multiplicity variety majority number pair couple pairs multitude",
    "F": """fig figs figure figures claim claims table tables example examples eq eqs equation paragraph nos
        instance""",
    "L": "type class grade level phase version category generation channel group",
    "O": """first second third fourth fifth sixth seventh eighth ninth tenth last next one two three four
        five six seven eight nine ten eleven twelve twenty hundred thousand million dozen single""",
    "U": """mm cm m km nm μm um mg g kg ml l s ms ns min h hz khz mhz ghz v mv kv w kw mw a ma k c f mol
        mmol wt wt% vol vol% ppm ppb bar mbar pa kpa mpa gpa psi n kn j kj °c °f rpm degrees percent
        seconds minutes hours inches inch kda bp db mg/ml μg/ml u/ml mg/kg g/l mol/l nl/min ml/min m/s
        g/cm3 kg/m3 l/min mg/l ng/ml kg/h g/mol mg/m3 w/m μl nl μg μmol μl/min""",
    "H": """substantially essentially approximately about preferably generally preferentially particularly
        especially respectively optionally namely alternatively additionally typically usually nearly
        almost roughly further also only already still again ever never always often just even rather
        quite otherwise moreover furthermore however accordingly nevertheless likewise similarly finally
        subsequently too thereafter now sometimes perhaps maybe advantageously suitably""",
    "R": """very highly well too more most less least away back forth apart together abroad ahead anew
        downstream upstream far""",
    "a": "adjacent opposite like unlike close next parallel perpendicular proximate",
    "J": """large small big little high low long short thick thin wide narrow broad flat round hot cold warm
        cool hard soft strong weak heavy light-weight new old good bad better best great greater
        greatest larger largest smaller smallest higher highest lower lowest longer shorter thicker
        thinner wider narrower upper inner outer innermost outermost uppermost lowermost front-end
        left-hand right-hand full empty open dry wet clean dirty smooth rough sharp blunt rigid stiff
        steep deep shallow fast slow quick rapid early late main minor major prior present previous
        subsequent adequate proper separate discrete complete incomplete concrete finite infinite opaque
        fine coarse pure safe simple complex entire whole single-piece remote mobile stationary rotary
        primary secondary tertiary auxiliary binary unitary preliminary contrary necessary ordinary
        temporary arbitrary monetary planetary sanitary complementary supplementary elementary customary
        voluntary involuntary evolutionary imaginary momentary ternary pulmonary coronary capable
        suitable similar dissimilar equal circular linear nuclear polar bipolar unipolar planar
        polygonal lunar solar stellar human usable likely unlikely unique adverse diverse inverse
        reverse transverse dense intense loose precise concise accurate inaccurate appropriate alternate
        approximate immediate intermediate ultimate moderate intricate delicate private ornate
        transparent translucent different equivalent resistant efficient inefficient sufficient
        insufficient independent dependent convenient inconvenient permanent relevant irrelevant
        significant important redundant dominant abundant coincident congruent consistent inconsistent
        persistent concurrent frequent infrequent evident apparent inherent coherent recent ancient
        divergent convergent emergent urgent brilliant distant instant constant elegant pleasant
        fluorescent luminescent incandescent phosphorescent ambient obedient resilient salient silent
        latent potent dormant buoyant compliant conformant radiant exact direct indirect distinct
        compact perfect imperfect correct incorrect intact extinct live raw thorough modern common
        uncommon red green blue white black yellow brown grey gray purple orange-red aft sour sweet
        bitter bright dark blind mute deaf plain vain certain remaining foreign sheer mere sole bare
        rare clear unclear superior inferior anterior posterior lateral proximal distal ventral dorsal
        extra ready steady sturdy heavy-duty tiny oily waxy sticky bulky noisy faulty lengthy tacky
        greasy spongy fluffy cloudy worthy busy easy handy healthy wealthy costly timely orderly
        friendly elderly daily weekly monthly yearly hourly false true real actual virtual ideal
        polyvalent monovalent divalent trivalent absent prone akin alike aware unaware worth able unable
        apt elastic viscoelastic obvious manual automatic semi-automatic woven molten hidden broken
        frozen drawn worn known unknown given driven written spoken hollow chosen proven grown blown
        thrown shrunken sunken swollen torn bent built unbent right left non-transitory mandatory
        satisfactory obligatory sensory migratory respiratory circulatory regulatory oscillatory
        vibratory rotatory explanatory exemplary coplanar collinear volatile fragile tactile tensile
        ductile sterile versatile easier earlier heavier busier happier 1d 2d 3d 4d 3g 4g 5g alive poor
        transient robust""",
    "N": """signal material metal terminal crystal pedal animal mineral chemical interval removal arrival
        retrieval approval disposal proposal referral withdrawal renewal coal seal goal meal dial vial
        trial journal portal canal cereal hospital medal rival festival original denial refusal reversal
        traversal potential credential differential tutorial memorial total petal scandal sandal jackal
        fabric plastic ceramic logic mechanic metric topic traffic arithmetic graphic characteristic
        arsenic clinic music antibiotic antiseptic diagnostic statistic public microphonic rubric
        epidemic anesthetic cosmetic adhesive additive drive drives five objective locomotive archive
        hive derivative preservative abrasive explosive primitive directive native olive sieve
        alternative perspective laxative sedative fugitive motive narrative executive cable table
        variable vegetable consumable timetable disposable collectible crucible boundary library summary
        capillary salary canary secretary dictionary memory factory laboratory inventory history story
        category directory territory accessory repository trajectory assembly supply family poly fly ply
        anomaly reply belly jelly monopoly butterfly lily speed feed bed seed need reed weed shed sled
        LED embed breed steed deed housing bearing opening casing coating bushing fitting ring spring
        string wing winding building mounting tubing wiring ceiling clothing lining piping packaging
        sing king thing wedding bring plating processing signaling signalling training lightning evening
        morning meaning o-ring spacing tooling flooring roofing siding decking sterling railing paving
        netting setting settings beginning engineering manufacturing farming fishing earring casting
        castings forging molding moulding gearing timing sibling offspring drawing drawings frosting
        bedding lettering dressing shielding grating gratings scaffolding landing recording crossing
        screening handling functioning programming housings bearings openings coatings fittings rings
        springs strings wings windings buildings mountings bus gas lens axis basis analysis process
        progress access mass glass brass class loss cross press stress tress series species apparatus
        status virus focus locus radius nucleus stimulus modulus annulus apparatuses chassis synthesis
        hypothesis thesis diagnosis prosthesis electrolysis hydrolysis catalysis gear chair data media
        die dies man men women children feet teeth thread bread head lead tread hundredweight polymer
        oligomer monomer layer fiber power tower lever cover buffer filter center centre sword record
        word cord board guard hazard standard wizard steward component element segment instrument
        equipment content agent coefficient ingredient gradient patient moment document treatment
        environment arrangement embodiment adjustment measurement movement individual""",
    "K": """unit units circuit circuits device devices means member members mechanism mechanisms module
        modules portion portions section sections system systems apparatus assembly element elements
        station stations part parts surface surfaces plate plates line lines valve valves machine
        machines tool tools agent agents device's step steps signal signals panel panels chamber
        chambers room rod shaft motor""",
    "V": """comprise comprises comprised include includes included contain contains contained consist
        consists consisted provide provides constitute constitutes become becomes became remain remains
        remained enable enables allow allows allowed prevent prevents prevented ensure ensures ensured
        require requires depend depends depended extend extends refer refers referred relate relates
        describe describes disclose discloses occur occurs occurred exist exists existed receive
        receives generate generates determine determines indicate indicates represent represents define
        defines involve involves obtain obtains perform performs select selects transmit transmits
        produce produces reduce reduces rotate rotates move moves moved convert converts correspond
        corresponds appear appears apply applies carry carries carried consider considers decide decides
        detect detects deform deforms engage engages enter enters establish establishes exceed exceeds
        execute executes expose exposes facilitate facilitates follow follows fulfil fulfill happen
        happens identify identifies improve improves inflate inflates inhibit inhibits keep keeps kept
        know knows let lets lie lies lay maintain maintains make makes made mean meant meet meets
        minimize minimizes maximise maximize maximizes optimize optimise occupy occupies operate
        operates oppose protect protects push pushes reach reaches react reacts recognize recognizes
        remove removes replace replaces retain retains rise rises run runs ran say says see sees seen
        seem seems send sends sent serve serves show shows shown solve solves suffer suffers surround
        surrounds take takes taken tend tends tell terminate terminates utilize utilizes vary varies do
        does did done don't doesn't go goes went gone come comes came get gets got give gives gave begin
        begins began begun find finds found arise arises arose think thought called named termed denoted
        used based thereby configured adapted arranged provided according disposed relating belongs
        belong amplify amplifies encode encodes decode decodes quantize quantizes overlap overlaps bind
        binds attach attaches connect connects communicate communicates compare compares compute
        computes calculate calculates compensate compensates collect collects cooperate cooperates
        create creates deliver delivers derive derives develop develops differ differs dissolve
        dissolves distribute distributes eliminate eliminates emit emits employ employs evaluate
        evaluates evaporate evaporates exert exerts expand expands express expresses fall falls fell
        fasten fastens fix fixes impart imparts implement implements inform initiate initiates inject
        injects install installs interact interacts introduce introduces join joins locate locates mix
        mixes modify modifies notify notifies penetrate penetrates pass passes possess possesses prepare
        prepares preserve propagate propagates propose purify raise raises reflect reflects regulate
        regulates render renders repeat repeats respond responds reveal secure secures separates specify
        specifies strike strikes substitute suppress suppresses treat treats unlock utilise validate
        verify verifies vibrate withdraw withstand withstands write writes adjust adjusts adhere adheres
        activate activates actuate actuates add adds accept accepts accommodate accommodates achieve
        achieves acquire acquires agree align aligns allocate allocates alter alters analyze analyzes
        assume assumes avoid avoids bring brings brought build builds choose chooses combine combines
        comply confirm confirms consume consumes contribute contributes discriminate displace displaces
        divide divides enhance enhances enlarge entail equip equips excite extract extracts illustrate
        illustrates incorporate incorporates integrate intend investigate invoke mention mentions merge
        note notes open opens participate prefer prefers promote promotes put puts recover recovers
        release rely relies resemble resist resists resolve restore restores retract retracts retrieve
        retrieves satisfy satisfies slide slides sense senses simplify simplifies stand stands stay
        stays stimulate tighten understand understood worsen let's borne hung stuck stood spent held
        sold told laid paid bound took grew knew saw wrote threw drew chose lost won spoke suggest
        suggests demonstrate demonstrates exhibit exhibits believe believes recur recurs kills kill
        infects infect distinguish distinguishes enforce enforces compete competes showed""",
    "v": """control controls supply supplies drive drives support supports process processes display
        displays output outputs input inputs transfer transfers pump pumps guide guides form forms lock
        locks mount mounts store stores switch switches release releases feed feeds filter filters cover
        covers couple couples contact contacts connect link links load loads measure measures mark marks
        map maps match matches monitor monitors position positions power powers press presses print
        prints pull pulls record records reset return returns seal seals scan scans shift shifts signal
        signals slide slides split splits stop stops start starts stack stacks step steps stroke strokes
        test tests trigger triggers turn turns use uses vent vents wash washes weigh work works wrap
        yield yields act acts aim aims balance balances block blocks bond bonds bridge bridges brush
        burn burns charge charges circulate clamp clamps close closes coat coats cool cools cut cuts
        damp decrease decreases increase increases delay delays deposit deposits design discharge
        discharges divide drain drains draw draws drop drops end ends exhaust face faces fill fills
        finish fit fits flow flows focus fold folds force forces frame function functions gate grip
        grips group groups grow grows handle handles heat heats help helps host house houses impact
        impacts influence insert inserts interface interlock label labels lift lifts light lights limit
        limits line lines melt melts mirror mix need needs offset orders pack pass phase pivot pivots
        places plan play plays plug plugs point points pool port present presents produce profile
        project projects query question range ranges rate rates reference reinforce request requests
        reserve rest rests result results roll rolls route routes sample samples screen screens seat
        seats sense separate serve shape shapes share shares ship shock show side sign sleep sort sound
        source span spans spread spreads state states strip structure surface target time times touch
        touches trace track tracks trade train transform transforms transport transports trap travel
        travels treat update updates value values view views vary visit volume wait walk wear wears
        weight wind winds wire read reads contract contracts object objects permit permits cause causes
        lead leads hold holds run change changes address addresses rise protrude lever levers average
        preheat bend bends beat hinge hinges set sets conduct conducts account accounts image images
        fall falls distinguish construct constructs""",
    "g": """comprising including having consisting containing using being involving requiring enabling
        allowing utilizing utilising employing relating referring concerning constituting representing
        depending extending according preventing ensuring avoiding becoming making taking giving going
        doing getting showing indicating causing exhibiting encoding""",
    "h": """forming depositing providing applying removing determining receiving transmitting obtaining
        producing generating selecting preparing measuring detecting sending storing calculating
        computing controlling introducing adding performing placing positioning adjusting reducing
        increasing improving supplying adapting displaying driving carrying covering supporting
        connecting executing operating emitting passing turning exposing etching reacting dissolving
        filtering comparing identifying converting monitoring creating defining establishing estimating
        evaluating exceeding switching stirring treating updating inhibiting enhancing targeting
        substituting stimulating promoting restoring predicting developing understanding acquiring
        excluding modulating inducing assessing preserving affording yielding encapsulating suggesting
        assuming achieving conferring discovering designing delivering suppressing eliminating
        extracting diagnosing differentiating distinguishing imparting facilitating accelerating
        studying meeting eliciting triggering activating illustrating revealing demonstrating
        encouraging maintaining retaining protecting transporting tracking simulating administering
        resuming fabricating capturing collecting constructing combining conducting culturing
        distributing dividing encountering exciting expressing implementing injecting inserting
        installing integrating isolating locating managing ordering purifying pushing recovering
        releasing replacing reporting requesting resolving returning reversing securing solving
        specifying subtracting tightening transferring transforming traversing unlocking validating
        verifying visualising withdrawing assaying checking deriving detaching disabling growing
        hydrolyzing intersecting inverting""",
}


def _lexicon() -> Mapping[str, str]:
    """Word to class; a word of two classes takes that of the earlier one in this order."""
    order = "oTMBADdWPpOHRUFQLIaVvghKNJ"
    words: dict[str, str] = {}
    for name in order:
        for word in _CLASSES[name].split():
            words.setdefault(word, name)
    return words


LEXICON = _lexicon()

VERBAL_ENDINGS = ("izing", "ising", "yzing", "ysing", "ifying")
"""Of -ing words that are verbs of method steps, whatever they are made of."""
ADJECTIVE_ENDINGS = (
    "able",
    "ible",
    "uble",
    "ous",
    "ful",
    "less",
    "al",
    "ic",
    "ive",
    "lar",
    "esque",
    "proof",
    "most",
    "shaped",
    "like",
)
"""Of words that are not in the lexicon."""
