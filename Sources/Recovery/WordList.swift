/// Coffer's own list of common English words of 3 to 6 letters, for generated passwords and check words. None is the
/// beginning of another. docs/decisions/0019-word-list.md says why there is one.
package enum WordList {
    /// 1,296 words.
    package static let all: [Substring] = text.split { $0 == " " || $0 == "\n" }

    private static let text = """
        acid acorn acre actor adapt adobe adopt adult agent agile agree ahead aim air aisle alarm album alert alike
        alive alley allow alloy almond alone alpha alpine also amber amend ample anchor angle ankle annual answer ant
        anvil apart apple april apron arch arctic arena argue arise armor army aroma arrow art aside ask aspen atlas
        atom attic august aunt autumn avoid awake award aware axis axle bacon badge bag baker ball bamboo banana banjo
        banner barley barn barrel base basil basin basket bath baton bay beam bean beard beaver bed beech beef begin
        being bell berry bike birch bird bison bite black blade blend bless blimp blink bloom blue board boat body bold
        bone bonus book boost border bottle bowl box brain brake branch brass brave bread break breeze brick bridge
        brief bright bring brisk broad bronze brook brown brush bubble bucket buddy budget build bulb bunch busy butter
        button buyer cabin cable cactus cake calm camel camera camp canal candle candy canoe canvas canyon cape card
        cargo carol carpet carrot carry carve cash castle catch cattle cause cedar cello cement chain chair chalk chance
        change chapel charm chart chase cheap check cheer cheese cherry chess chest chief child chill chip choice choir
        chord cider circle circus city civic claim clap clay clean clear clerk clever cliff climb clock close cloth
        cloud clover clown club coach cobalt cobra cocoa code coffee coin collar comb comet comic common cookie cool
        copper copy coral cork corner cosmic cost cotton couch count couple course cousin cover cow coyote crab craft
        crane crater crayon cream creek crest crew crisp crop cross crowd cruise crumb crust cube cup curl curry curve
        cycle daily daisy dam dancer danger dare dark data dawn deal debate decade deep deer delta denim dense desert
        desk detail dial diary dice diet digit dime diner dinner direct dish disk diver dock doctor dog dollar donkey
        door dot double dough dove dozen dragon drama draw dream dress drift drill drink drive drop drum dry duck duet
        dune dust duty dwarf eager eagle early earn earth easel easy echo edge edit eel effort egg elbow elder elect elk
        elm ember empty energy engine enjoy enter entry envoy equal erase error escape essay estate event ever exact
        exam excel exit expert extra eye fable fabric face factor fairy faith falcon fall family famous fancy farmer
        fast father fault fawn feast fellow felt fence fern ferry fever fiber field figure film filter final finch find
        finger finish fire firm first fish fit five flag flame flash flask flax fleet flight flint float flock floor
        flour flower fluid flute fly foam focus foil folk follow font food force forest fossil found fox frame free
        fresh friend frog front frost fruit fuel fund funny fur future gadget galaxy gallon game gap garage garden
        garlic garnet gas gate gather gauge gear gem genius gentle giant gift ginger girl give glad glass glide globe
        glory glove glow glue goal goat golf good goose gospel gown grain grand graph grass gravel gravy great green
        grid grill grocer ground group grove growth guard guess guest guide guitar gulf gull gum guru gym habit half
        hammer handle happy hare harp hatch haven hawk hay hazel heart heavy hedge height helmet help hen herb herd
        heron high hike hill hint hip hobby hockey holly home honest honey hoof hope horn horse host hotel hour house
        hover hub huge human humble hurdle hybrid ice icon idea idle igloo image inch income index indigo indoor ink
        inlet inner input insect inside iris iron island item ivy jacket jade jaguar jam jar jazz jeans jelly jet jewel
        job join joke jolly joy judge juice jump june jungle junior jury just kale kayak keen kelp kennel kernel kettle
        key kick kidney kind king kiosk kite kitten kiwi knee knit knob knock knot koala label labor ladder lady lake
        lamb lamp lance land large laser last latch laugh laurel lava lawn lawyer leader leaf learn left legend lemon
        lens lesson letter level lid life lilac lily limb limit linen lion lip list little lizard llama loaf lobby local
        lodge logic long loop lotus loud lounge loyal lucky lumber lunar lunch lung lute lyric magnet magpie maid main
        maize major maker mango maple marble march margin marine market maroon marsh mask mason master mayor maze meadow
        mean medal media melody melon member memory mentor menu merit merry metal meteor method middle might milk minor
        mint minute mirror mist mitten mix mobile model modern module moment money monkey month moon moose moral mosaic
        moss motel mother motor mouse move movie mud muffin mug mule muscle museum music myth nail name napkin narrow
        nation native nature navy neat neck nectar needle neon new nickel night nine noble noise noodle north note novel
        number nurse nut nylon oak oasis object ocean odd offer office olive omelet once onion only onyx open opera
        orange orbit orchid order organ origin osprey otter oval oven owl owner oxygen oyster ozone pack paddle page
        pair palace palm panda panel paper parade parcel parent parrot party pass pasta paste path patio pause paw peace
        peak peanut pearl pebble pecan pedal peel pencil penny people pepper perch period person petal phone photo piano
        pickle picnic piece pier pigeon pillow pilot pink pipe pirate pitch pizza plaid plain planet plant plate player
        plaza plenty plot plow plum plus pocket poem poet point polar pole police polish polite polo pond pony pool
        poplar poppy porch port potato powder power praise prefer press pretty print prism profit proof proud prune
        public pulse pump puppy purple purse puzzle quail quartz queen quest quick quiet quill quilt quince quiz quote
        rabbit race radar radio radish raft raise ranch range rapid raven razor reach ready real reason recipe record
        red reef region relax relay remedy remote rent reply rescue result return reward rhyme rhythm ribbon rich ridge
        ripe river road roast robin robot rocket rodeo roll room rose rotate route row royal ruby rudder rug ruler run
        rural rush rye saddle safari safe saint salad salmon salon salt salute sample sandal satin sauce save scale
        scarf scene scent school score scout screen script search season seat second seek senior sense sequel series
        seven shade shadow shape shark sharp shed sheep sheet shelf shell shield shift shine shirt shoe shop shout
        shovel shrimp signal silk silver simple sister six size skate skill skin skirt sky sled sleep slim slope small
        smart smile smoke smooth snack snail snow soap soccer social sock soda soft soil solar solid solo song sonic
        sound soup south spark spear speed spider spiral spoon sport spray spring spruce square squid stable staff stage
        stair stamp stand statue steak steel step stereo stew stick still stone stool stove straw stream street strong
        studio study style subway sugar suit summer summit sunny sunset super surf swan sweet swift swim swing switch
        sword symbol syrup system tablet talent talk tango tape target taste taxi teapot tempo tenor tent term thank
        theme theory thick thing thirty thorn thread three throne thumb ticket tiger timber tiny tiptoe title toast
        today toe tomato tooth topaz topic total toucan tour towel town track trade trail travel tray treat trend trial
        tribe trip trophy trout true trunk trust truth tuba tulip tuna tundra tunnel turkey turn turtle twelve twenty
        twin twist uncle under union unique unit update upper urban usual vacuum valid valley value valve van vault
        velvet vendor venue verb verse vest video view vine violet violin visit vista vital vivid vocal voice volume
        vote voyage wafer wage wagon waist walk wallet walnut walrus waltz warm water wax weasel weave web week west
        whale wheat wheel white wick wide wild willow window winter wise wolf wonder world wren wrist writer yacht yard
        year yeast yellow yodel yogurt young youth zebra zero zinc zoo
        """
}
