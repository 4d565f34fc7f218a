package ensemble

// Connect lets tests play a follower by hand.
var Connect = connect
